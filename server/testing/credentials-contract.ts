import { describe, expect, it } from 'vitest'
import type { CustodialKey, KeptAccessKey, KeptToken, Store } from '../service/ports.ts'
import { newHash, newId } from './batch-samples.ts'

const token = (changes: Partial<KeptToken> = {}): KeptToken => ({ tokenId: newId(), tokenHash: newHash(), principalId: newId(), doors: ['ioa', 'mcp'], label: 'Scout', createdAt: '2026-11-29T10:00:00.000Z', ...changes })
const accessKey = (changes: Partial<KeptAccessKey> = {}): KeptAccessKey => ({ accessKeyId: newId(), keyHash: newHash(), label: 'lab', createdAt: '2026-11-29T10:00:00.000Z', ...changes })
const custodialKey = (changes: Partial<CustodialKey> = {}): CustodialKey => ({ principalId: newId(), keyId: newId(), sealed: Uint8Array.of(0, 255, 10), ...changes })
const [first, second] = ['2026-11-29T11:00:00.000Z', '2026-11-29T12:00:00.000Z'] as const

export function describeCredentials(store: () => Store): void {
  const credentials = () => store().credentials

  describe('tokens', () => {
    it('are found by hash as they were added, and listed oldest first', async () => {
      const [younger, older] = [token({ createdAt: second, expiresAt: '2027-01-01T00:00:00.000Z' }), token({ createdAt: first, doors: ['iap'] })]
      await credentials().addToken(younger)
      await credentials().addToken(older)
      expect(await credentials().findToken(younger.tokenHash)).toEqual(younger)
      expect(await credentials().findToken(newHash())).toBeUndefined()
      expect((await credentials().listTokens()).filter(({ tokenId }) => [younger.tokenId, older.tokenId].includes(tokenId))).toEqual([older, younger])
      expect(await credentials().listTokens([older.principalId, newId()])).toEqual([older])
      expect(await credentials().listTokens([])).toEqual([])
    })

    it('are revoked once, and stay revoked', async () => {
      const added = token()
      await credentials().addToken(added)
      expect(await credentials().revokeToken(added.tokenId, first)).toEqual({ ...added, revokedAt: first })
      expect(await credentials().revokeToken(added.tokenId, second)).toEqual({ ...added, revokedAt: first })
      expect(await credentials().findToken(added.tokenHash)).toEqual({ ...added, revokedAt: first })
      expect(await credentials().revokeToken(newId(), first)).toBeUndefined()
    })

    it('share no hash', async () => {
      const added = token()
      await credentials().addToken(added)
      await expect(credentials().addToken(token({ tokenHash: added.tokenHash }))).rejects.toThrow()
    })
  })

  describe('access keys', () => {
    it('are found by hash, listed oldest first and revoked once', async () => {
      const [younger, older] = [accessKey({ createdAt: second }), accessKey({ createdAt: first, expiresAt: '2027-01-01T00:00:00.000Z' })]
      await credentials().addAccessKey(younger)
      await credentials().addAccessKey(older)
      expect(await credentials().findAccessKey(older.keyHash)).toEqual(older)
      expect((await credentials().listAccessKeys()).filter(({ accessKeyId }) => [younger.accessKeyId, older.accessKeyId].includes(accessKeyId))).toEqual([older, younger])
      expect(await credentials().revokeAccessKey(younger.accessKeyId, first)).toEqual({ ...younger, revokedAt: first })
      expect(await credentials().revokeAccessKey(younger.accessKeyId, second)).toEqual({ ...younger, revokedAt: first })
      expect(await credentials().revokeAccessKey(newId(), first)).toBeUndefined()
    })
  })

  it('forgets tokens and access keys that ended before a time, and no others', async () => {
    const ends = [{ expiresAt: first }, { revokedAt: first }, { expiresAt: second }, { revokedAt: second }, {}, { expiresAt: second, revokedAt: first }]
    const [tokens, keys] = [ends.map((end) => token(end)), ends.map((end) => accessKey(end))]
    for (const each of tokens) await credentials().addToken(each)
    for (const each of keys) await credentials().addAccessKey(each)
    await credentials().forgetEnded(second)
    const remain = [2, 3, 4].map((index) => [tokens[index], keys[index]])
    const found = await Promise.all(ends.map(async (_, index) => [await credentials().findToken(tokens[index]!.tokenHash), await credentials().findAccessKey(keys[index]!.keyHash)]))
    expect(found).toEqual([[undefined, undefined], [undefined, undefined], ...remain, [undefined, undefined]])
  })

  describe('custodial keys', () => {
    it('are one for each Principal, whoever was first', async () => {
      const key = custodialKey()
      expect(await credentials().putCustodialKey(key)).toEqual(key)
      expect(await credentials().putCustodialKey(custodialKey({ principalId: key.principalId }))).toEqual(key)
      expect(await credentials().findCustodialKey(key.principalId)).toEqual(key)
      expect(await credentials().findCustodialKey(newId())).toBeUndefined()
    })

    it('are replaced only where the one to be replaced is still there', async () => {
      const key = custodialKey()
      await credentials().putCustodialKey(key)
      const successor = custodialKey({ principalId: key.principalId })
      expect(await credentials().putCustodialKey(successor, key.keyId)).toEqual(successor)
      expect(await credentials().putCustodialKey(custodialKey({ principalId: key.principalId }), key.keyId)).toEqual(successor)
    })
  })
}
