import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { arch, platform } from "node:process";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";

import { extract } from "tar";

const cache = join(import.meta.dirname, "../../../node_modules/.cache");

/** Playwright's launch options for the npm package's Chromium. */
export interface BundledChromium {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Unpacks @sparticuz/chromium and the libraries that a minimal Linux lacks into the cache, unless they exist there. */
export async function bundledChromium(): Promise<BundledChromium> {
  if (platform !== "linux" || arch !== "x64")
    throw new Error(
      `Cannot find Chromium, and the npm package does not support ${platform}-${arch}. Install Chromium or Chrome, or set the variable CHROMIUM to its path.`,
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

/** Unpacks into a temporary folder and renames it, because another test may unpack at the same time. */
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

/** Replaces the package's settings, which name folders of AWS Lambda. Without a font, Chromium crashes when it lays out text. */
function fontconfig(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts/fonts</dir><cachedir>${folder}/fonts/cache</cachedir></fontconfig>
`;
}
