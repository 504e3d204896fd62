// Rules that no test of this product can show, each with the reason. Everything else is proved by a test that names it.
export const UNTESTABLE: Readonly<Record<string, string>> = {
  'A-1': 'a statement of what the protocol covers and leaves out',
  'A-5': 'a list of the parts of a deployment; the rules about each part are proved by their own tests',
  'A-7': 'a glossary; the console speaks English only, so the prescribed translations have no place in it',
  'A-27': 'a prohibition of asking for something: no Command, frame or page of the product does, and no test can run through everything that might',
  'A-31': 'advice about performance history, of which this product keeps none',
  'A-286': 'a statement of what the public vectors do not cover; A-104, A-105 and A-106 have tests of their own',
}
