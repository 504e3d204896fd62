/** The wire version of every envelope and frame. */
export const PROTOCOL_VERSION = '0.1'
