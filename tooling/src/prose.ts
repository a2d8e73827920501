// Finds phrases that plain English avoids, in comments, strings and documents.
//   node tooling/src/prose.ts                    the whole repository
//   node tooling/src/prose.ts packages/core …    some folders or files
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

import { ignoreClosedPipe } from "./closed-pipe.ts";
import { hasProse, lintProse } from "./prose/lint.ts";

/** The hub compares hashes of applied migrations, so their text must not change. */
const frozen = /^hub-server\/migrations\/000[1-7]-/;

const paths = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...process.argv.slice(2)],
  { encoding: "utf8", maxBuffer: 2 ** 26 },
)
  .split("\n")
  .filter((path) => hasProse(path) && !frozen.test(path) && existsSync(path));

ignoreClosedPipe();

let count = 0;
for (const path of paths) {
  for (const { line, phrase, advice } of lintProse(path, readFileSync(path, "utf8"))) {
    count += 1;
    process.stdout.write(`${path}:${line}: “${phrase}” ${advice}\n`);
  }
}
process.stdout.write(`${count} phrases to rewrite in ${paths.length} files\n`);
process.exitCode = count === 0 ? 0 : 1;
