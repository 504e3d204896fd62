// Holds the embedded database of the folder given as argument, tells how to reach it, and lets go when its input ends.
import { openEmbedded } from '../store/embedded/open-embedded.ts'

const [dataDir] = process.argv.slice(2)
const database = await openEmbedded(dataDir!)
console.log(JSON.stringify({ url: database.url, kind: database.kind }))
process.stdin.resume()
process.stdin.once('end', () => void database.stop().then(() => process.exit(0)))
