// GET and HEAD /health, /ready: whether the store answers, and nothing else about it.
import { sendJson } from '../../http-messages.ts'
import type { IoaService, OpenExchange, Route } from './exchange.ts'
import { open } from './exchange.ts'
import type { Refusal } from './refusal.ts'
import { refusal } from './refusal.ts'

export function probeRoutes(service: Pick<IoaService, 'ready'>): readonly Route[] {
  const probe = async ({ response }: OpenExchange): Promise<Refusal | void> => {
    if (!(await service.ready())) return refusal(503, 'the store does not answer')
    sendJson(response, 200, { status: 'ok' })
  }
  return ['GET /health', 'HEAD /health', 'GET /ready', 'HEAD /ready'].map((line) => open(line, probe))
}
