// Writes NAME.br and NAME.gz beside every file that gets smaller by it.
// Usage: node compress.mjs QUALITY FOLDER (QUALITY from 0, quick, to 11, small)
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [quality, folder] = process.argv.slice(2);
const compressible = /\.(html|css|js|mjs|json|svg|wasm|txt|webmanifest)$/;

for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !compressible.test(entry.name)) continue;
  const path = join(entry.parentPath ?? entry.path, entry.name);
  const plain = readFileSync(path);
  const brotli = brotliCompressSync(plain, {
    params: { [constants.BROTLI_PARAM_QUALITY]: Number(quality), [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
  });
  const gzip = gzipSync(plain, { level: Math.min(9, Number(quality)) });
  if (brotli.length < plain.length) writeFileSync(`${path}.br`, brotli);
  if (gzip.length < plain.length) writeFileSync(`${path}.gz`, gzip);
}
