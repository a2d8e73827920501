import { execFile } from "node:child_process";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { packageContentHash } from "@envs/records";
import { expect, test } from "vitest";

import { packageHash } from "../../../cli/src/environments/package-content.ts";
import { environmentPackage } from "../../../cli/test/manifest/package.ts";

const run = promisify(execFile);

/** Packs a package and returns the hash of the files in its tarball. */
async function hashOfTarball(root: string): Promise<string> {
  await run("npm", ["pack", "--silent", "--pack-destination", root], { cwd: root });
  const tarball = (await readdir(root)).find((name) => name.endsWith(".tgz"));
  const unpacked = join(root, "unpacked");
  await mkdir(unpacked);
  await run("tar", ["-xzf", join(root, tarball!), "-C", unpacked, "--strip-components=1"]);
  const entries = await readdir(unpacked, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const file = join(entry.parentPath, entry.name);
      return { path: file.slice(unpacked.length + 1), bytes: await readFile(file) };
    });
  return packageContentHash(await Promise.all(files));
}

const around = {
  "README.md": "Read me.",
  LICENSE: "MIT",
  "envs.manifest.json": "{}",
  "dist/.tsbuildinfo": "{}",
  "dist/index.js.map": "{}",
  "src/index.ts": "1;",
  "data/questions.jsonl": "{}",
  "test/guess.test.ts": "1;",
  ".gitignore": "dist/\n",
};

test.each<[string, Record<string, unknown>, Record<string, string>]>([
  ["lists its files", { files: ["dist", "src", "data"] }, {}],
  [
    "lists folders with files that npm omits",
    { files: ["dist", "data/"] },
    { "data/.npmignore": "*.jsonl\n", "data/answers.jsonl": "{}", "dist/index.js.orig": "1;" },
  ],
  ["excludes some of its files", { files: ["dist", "!dist/**/*.map"] }, {}],
  ["lists its files by patterns", { files: ["dist/*.js", "/data/**", "./src/"] }, {}],
  ["has a command", { files: ["dist"], bin: "./data/questions.jsonl" }, {}],
  ["does not list files, and ignores its build", { files: undefined }, {}],
  ["does not list files, and has an .npmignore", { files: undefined }, { ".npmignore": "test/\n" }],
])(
  "a package that %s has the same hash in its folder and packed",
  async (_, packageJson, files) => {
    const root = await environmentPackage("", { packageJson, files: { ...around, ...files } });
    const hash = await packageHash(root);
    expect(await hashOfTarball(root)).toBe(hash);
  },
);

test("the hash covers packed data, but not files that npm does not pack", async () => {
  const hashOf = async (files: Readonly<Record<string, string>>) =>
    packageHash(await environmentPackage("", { packageJson: { files: ["dist", "data"] }, files }));
  const hash = await hashOf(around);
  expect(await hashOf({ ...around, "data/questions.jsonl": "[]" })).not.toBe(hash);
  expect(await hashOf({ ...around, "test/guess.test.ts": "2;", "notes.txt": "" })).toBe(hash);
});
