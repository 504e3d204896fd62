// How much one request to an open Space may hold.
export const maximumMessageBytes = 256 * 1024
/** Of Messages, and of Nodes, in one Message. */
export const maximumRefs = 1_000
export const maximumNameLength = 200
export const maximumDescriptionLength = 4_000
/** Of a Space, all joins together. */
export const maximumTags = 50
export const maximumTagLength = 100
export const maximumContentTypeLength = 200
/** UTF-8 bytes of a Node's `meta`, and of the claims of one identity. */
export const maximumMetaBytes = 64 * 1024
export const maximumIdentities = 50
/** UTF-8 bytes of a namespace and a subject together: PostgreSQL indexes no pair longer than 2,704. */
export const maximumIdentityBytes = 2_000
/** What one Principal may write to open Spaces, all of them together and for good; 0 is without a limit. */
export interface SenderQuota { readonly messages: number; readonly bytes: number }
export const defaultSenderQuota: SenderQuota = { messages: 1_000_000, bytes: 1024 ** 3 }
/** Spaces that one Node may enter. */
export const maximumSpacesEntered = 10_000
/** Messages, Spaces or Nodes of one page. */
export const maximumPage = 10_000
/** Members shown of one Space; no more after the one that brings them to the bytes of a page. */
export const maximumMembers = 10_000
/** Bytes of one page of Nodes, or of Spaces with their members. */
export const maximumPageBytes = 4 * 1024 * 1024
