import type { Signer } from '../signing/signer.ts'

/** Offers the key file of a held key as a download. False when the key is none that can be saved. */
export async function saveKeyFile(signer: Signer, publicKey: string, personName: string): Promise<boolean> {
  const text = await signer.exportKeyFile(publicKey)
  if (text === undefined) return false
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `countersign-key-${personName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`
  link.click()
  URL.revokeObjectURL(url)
  return true
}
