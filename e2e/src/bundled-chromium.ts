import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { arch, platform } from "node:process";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";

import { extract } from "tar";

const cache = join(import.meta.dirname, "../../node_modules/.cache");

/** What playwright needs to start the Chromium of an npm package. */
export interface BundledChromium {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Unpacks the Chromium of @sparticuz/chromium, and the libraries that a bare Linux lacks, into the cache. */
export async function bundledChromium(): Promise<BundledChromium> {
  if (platform !== "linux" || arch !== "x64")
    throw new Error(
      `This test needs Chromium, and npm has none for ${platform}-${arch}. Install Chromium or Chrome, or set the variable CHROMIUM to its path.`,
    );
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const packageFolder = join(dirname(entry), "..");
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8")) as {
    readonly version: string;
  };
  const folder = join(cache, `chromium-${version}`);
  if (!existsSync(folder)) await unpack(join(packageFolder, "bin"), folder);
  return {
    executablePath: join(folder, "chromium"),
    env: {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: join(folder, "lib"),
      FONTCONFIG_FILE: join(folder, "fonts/fonts.conf"),
    },
  };
}

/** Another test may unpack at the same time: the first to rename its folder wins. */
async function unpack(archives: string, folder: string): Promise<void> {
  const read = (name: string) => createReadStream(join(archives, name));
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "chromium-part-"));
  try {
    await pipeline(
      read("chromium.br"),
      createBrotliDecompress(),
      createWriteStream(join(work, "chromium"), { mode: 0o755 }),
    );
    for (const [name, target] of [
      ["al2023", work],
      ["fonts", join(work, "fonts")],
      ["swiftshader", work],
    ] as const) {
      await mkdir(target, { recursive: true });
      await pipeline(read(`${name}.tar.br`), createBrotliDecompress(), extract({ cwd: target }));
    }
    await writeFile(join(work, "fonts/fonts.conf"), fontconfig(folder));
    await rename(work, folder);
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

/** The package's own settings name folders of AWS Lambda. Without a font, Chromium dies when it lays out text. */
function fontconfig(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts/fonts</dir><cachedir>${folder}/fonts/cache</cachedir></fontconfig>
`;
}
