// GET /api/receipts/<missionId>: the file with which anyone can verify an approval offline.
import { isIdentifier } from '../../../protocol/identifier.ts'
import type { FindCaller, Handler } from '../../http-messages.ts'
import { isMethod, sendJson, urlOf } from '../../http-messages.ts'
import type { AuthorityService } from '../../service/service.ts'

export const receiptsPrefix = '/api/receipts/'

/** 401 without a session; 404 for a Mission that is not approved, unknown or hidden, all alike. */
export function createReceiptsHandler(service: Pick<AuthorityService, 'receiptFor'>, findPerson: FindCaller): Handler {
  return async (request, response) => {
    if (!isMethod(request, response, 'GET')) return
    const principalId = await findPerson(request)
    if (principalId === undefined) return sendJson(response, 401, { error: 'sign in first' })
    const missionId = missionIdIn(urlOf(request)!.pathname)
    const receipt = missionId === undefined ? undefined : await service.receiptFor(principalId, missionId)
    if (missionId === undefined || receipt === undefined) return sendJson(response, 404, { error: 'there is no such receipt' })
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': receipt.length,
      'content-disposition': `attachment; filename="approval-receipt-${fileNamePart(missionId)}.json"`,
      'cache-control': 'private, no-store',
    })
    response.end(receipt)
  }
}

function missionIdIn(path: string): string | undefined {
  try {
    const id = decodeURIComponent(path.slice(receiptsPrefix.length))
    return isIdentifier(id) ? id : undefined
  } catch {
    return undefined
  }
}

const fileNamePart = (id: string) => id.replace(/^urn:uuid:/, '').replace(/[^A-Za-z0-9-]+/g, '-').slice(0, 80)
