// Finds phrases that plain English avoids, in comments, strings and documents.
//   node tooling/src/prose.ts                    the whole repository
//   node tooling/src/prose.ts packages/core …    some folders or files
import { readFileSync } from "node:fs";

import { ignoreClosedPipe } from "./closed-pipe.ts";
import { hasProse, lintProse } from "./prose/lint.ts";
import { repositoryFiles } from "./repository-files.ts";

const requested = process.argv.slice(2);
const patterns =
  requested.length === 0 ? ["**", ".*/**"] : requested.flatMap((path) => [path, `${path}/**`]);
const paths = repositoryFiles(patterns).filter(hasProse);

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
