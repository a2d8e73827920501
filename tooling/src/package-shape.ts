import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

import { ignoreClosedPipe } from "./closed-pipe.ts";

// Packs every package that is not private, and checks the tarballs by publint and attw: in one process, because they start slowly.
const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
/** Resolutions that packages of ES modules do not support: attw's profile "esm-only". */
const ignoredResolutions = new Set<string>(["node10", "node16-cjs"]);

ignoreClosedPipe();

function publishable(): readonly string[] {
  const nested = ["packages", "environments"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  // Caches may lie beside the packages.
  return [...nested, "hub-server"].filter(
    (folder) => existsSync(join(root, folder, "package.json")) && !isPrivate(folder),
  );
}

function isPrivate(folder: string): boolean {
  const text = readFileSync(join(root, folder, "package.json"), "utf8");
  return (JSON.parse(text) as { readonly private?: boolean }).private === true;
}

/** Packs with pnpm, which replaces `workspace:` and `catalog:`: the tarballs are those that users install. */
async function packTarballs(target: string): Promise<readonly string[]> {
  for (const folder of publishable())
    await run("pnpm", ["pack", "--pack-destination", target], { cwd: join(root, folder) });
  return readdirSync(target);
}

async function problemsOf(tarball: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  const { messages, pkg } = await publint({
    pack: { tarball: tarball.buffer },
    strict: true,
    level: "warning",
  });
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  const typeProblems = analysis.types === false ? [] : analysis.problems;
  return [
    ...messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code),
    ...typeProblems
      .filter(
        (problem) =>
          !("resolutionKind" in problem && ignoredResolutions.has(problem.resolutionKind)),
      )
      .map((problem) => JSON.stringify(problem)),
  ];
}

const target = mkdtempSync(join(tmpdir(), "envs-pack-"));
process.on("exit", () => rmSync(target, { recursive: true, force: true }));
for (const name of await packTarballs(target))
  for (const problem of await problemsOf(new Uint8Array(readFileSync(join(target, name))))) {
    process.stdout.write(`${name}: ${problem}\n`);
    process.exitCode = 1;
  }
