/** Joins class names, leaving out what is absent. */
export const classNames = (...parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join(' ')
