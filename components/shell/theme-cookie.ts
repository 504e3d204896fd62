export type Theme = 'system' | 'light' | 'dark'

/** A cookie rather than local storage, so that the server renders the chosen colours at once and no script has to run first. */
export const THEME_COOKIE = 'countersign_theme'

export const parseTheme = (value: string | undefined): Theme => (value === 'light' || value === 'dark' ? value : 'system')
