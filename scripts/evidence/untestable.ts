// Rules that no test of this product can show, each with the reason. Everything else is proved by a test that names it.
export const UNTESTABLE: Readonly<Record<string, string>> = {
}
