/**
 * Compiles `assembly/` with and without relaxed SIMD, into one module of text that every bundler understands. With `--check`,
 * compares the module with what is committed.
 */
import { readFile, writeFile } from "node:fs/promises";

import asc from "assemblyscript/asc";

const out = new URL("./src/engine/kernels.generated.ts", import.meta.url);

async function compile(features: readonly string[], isWide: boolean): Promise<string> {
  let diagnostics = "";
  const files = new Map<string, Uint8Array>();
  const { error } = await asc.main(
    [
      "index.ts",
      "-O3",
      "--noAssert",
      "--runtime=stub",
      "--use",
      "abort=",
      "--use",
      `WIDE=${isWide ? 1 : 0}`,
      "--outFile=kernels.wasm",
      ...features.flatMap((feature) => ["--enable", feature]),
    ],
    {
      readFile: (name, base = ".") =>
        readFile(
          new URL(`./assembly/${base === "." ? "" : `${base}/`}${name}`, import.meta.url),
          "utf8",
        ).catch(() => null),
      writeFile: (name, contents) => void files.set(name, contents as Uint8Array),
      listFiles: () => [],
      stderr: { write: (text) => void (diagnostics += String(text)) },
    },
  );
  if (error !== null) throw new Error(`The kernels do not compile: ${diagnostics}`);
  const binary = files.get("kernels.wasm");
  if (binary === undefined) throw new Error("The compiler did not write kernels.wasm.");
  return Buffer.from(binary).toString("base64");
}

const builds = {
  simd: await compile(["simd"], false),
  relaxed: await compile(["simd", "relaxed-simd"], false),
  wide: await compile(["simd", "relaxed-simd"], true),
};
const text = `// Written by build-kernels.ts.\nexport const binaries: Readonly<Record<"simd" | "relaxed" | "wide", string>> = ${JSON.stringify(builds)};\n`;
if (!process.argv.includes("--check")) await writeFile(out, text);
else if ((await readFile(out, "utf8")) !== text)
  throw new Error(
    "kernels.generated.ts differs from assembly/. Run: pnpm --filter @envs/tiny-model kernels",
  );
