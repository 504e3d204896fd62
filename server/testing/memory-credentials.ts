import { invariant } from '../../protocol/result.ts'
import type { CredentialStore, CustodialKey, KeptAccessKey, KeptToken } from '../service/ports.ts'

/** Tokens, access keys and sealed private keys in Maps. */
export function createMemoryCredentials(): CredentialStore {
  const tokens = new Map<string, KeptToken>()
  const accessKeys = new Map<string, KeptAccessKey>()
  const custodialKeys = new Map<string, CustodialKey>()
  return {
    async addToken(token) {
      invariant(!tokens.has(token.tokenId) && ![...tokens.values()].some(({ tokenHash }) => tokenHash === token.tokenHash), 'a token is kept once')
      tokens.set(token.tokenId, token)
    },
    findToken: async (tokenHash) => [...tokens.values()].find((token) => token.tokenHash === tokenHash),
    revokeToken: async (tokenId, at) => revoked(tokens, tokenId, at),
    listTokens: async (principalIds) => sorted(tokens).filter(({ principalId }) => principalIds?.includes(principalId) ?? true),
    async addAccessKey(accessKey) {
      invariant(!accessKeys.has(accessKey.accessKeyId) && ![...accessKeys.values()].some(({ keyHash }) => keyHash === accessKey.keyHash), 'an access key is kept once')
      accessKeys.set(accessKey.accessKeyId, accessKey)
    },
    findAccessKey: async (keyHash) => [...accessKeys.values()].find((accessKey) => accessKey.keyHash === keyHash),
    revokeAccessKey: async (accessKeyId, at) => revoked(accessKeys, accessKeyId, at),
    listAccessKeys: async () => sorted(accessKeys),
    async forgetEnded(before) {
      for (const kept of [tokens, accessKeys]) for (const [id, { expiresAt, revokedAt }] of kept) if ([expiresAt, revokedAt].some((end) => end !== undefined && end < before)) kept.delete(id)
    },
    findCustodialKey: async (principalId) => custodialKeys.get(principalId),
    async putCustodialKey(key, replaces) {
      if (custodialKeys.get(key.principalId)?.keyId === replaces) custodialKeys.set(key.principalId, key)
      return custodialKeys.get(key.principalId) ?? key
    },
  }
}

function revoked<T extends KeptToken | KeptAccessKey>(kept: Map<string, T>, id: string, at: string): T | undefined {
  const found = kept.get(id)
  if (found !== undefined && found.revokedAt === undefined) kept.set(id, { ...found, revokedAt: at })
  return kept.get(id)
}

const sorted = <T extends KeptToken | KeptAccessKey>(kept: ReadonlyMap<string, T>): readonly T[] =>
  [...kept].sort(([idA, a], [idB, b]) => (a.createdAt + idA < b.createdAt + idB ? -1 : 1)).map(([, record]) => record)
