import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const minBytes = 4096;
const compress = promisify(brotliCompress);

/** Writes a Brotli copy beside each large script and stylesheet, so that a server need not compress it. */
export async function precompress(site: string): Promise<void> {
  const files = globSync("{assets,play}/**/*.{js,css,svg}", { cwd: site });
  await Promise.all(
    files.map(async (name) => {
      const content = await readFile(join(site, name));
      if (content.length < minBytes) return;
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      await writeFile(join(site, `${name}.br`), await compress(content, { params }));
    }),
  );
}
