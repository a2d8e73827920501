import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";

import { withLock } from "./lock.ts";
import { sourcesHash } from "./sources-hash.ts";

// Builds packages whose files browsers load, unless they are built from the present sources. Such a package calls this when it
// runs from its sources: `node tooling/src/first-use.ts packages/viewer`.
const root = join(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/envs");
/** Identifies a test run, which compares the sources once, not in each of its processes. */
const testRun = process.env["ENVS_TEST_RUN"] ?? "none";

for (const name of process.argv.slice(2)) {
  if (isOfThisRun(name)) continue;
  await withLock(join(cache, "building.lock"), () => {
    if (!isOfThisRun(name)) buildIfChanged(name);
  });
}

function buildIfChanged(name: string): void {
  const folder = join(root, name);
  const hash = sourcesHash(root, folder);
  const isBuilt = readStamp(name)[0] === hash && existsSync(join(folder, "dist"));
  if (!isBuilt) {
    process.stderr.write(`Building the pages of ${name}, which is done once…\n`);
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly scripts: { readonly build: string };
    };
    const programs = [folder, root].map((path) => join(path, "node_modules/.bin"));
    const path = [...programs, process.env["PATH"]].join(delimiter);
    const { status, stdout, stderr } = spawnSync(scripts.build, {
      cwd: folder,
      shell: true,
      encoding: "utf8",
      // Overrides NODE_ENV: vitest sets it to "test", for which Vite bundles the large development build of React.
      env: { ...process.env, PATH: path, NODE_ENV: "production" },
    });
    process.exitCode = status ?? 1;
    if (status !== 0) return void process.stderr.write(`${stdout}${stderr}`);
  }
  writeFileSync(stampOf(name), `${hash}\n${testRun}\n`);
}

/** The hash of the sources that were built, and the run of the tests that has compared it. */
function readStamp(name: string): readonly string[] {
  try {
    return readFileSync(stampOf(name), "utf8").split("\n");
  } catch {
    return [];
  }
}

function stampOf(name: string): string {
  return join(cache, `${basename(name)}.built`);
}

function isOfThisRun(name: string): boolean {
  return testRun !== "none" && readStamp(name)[1] === testRun;
}
