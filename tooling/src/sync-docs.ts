// Brings code blocks, tables and help texts of the documents up to date with their sources. node tooling/src/sync-docs.ts
// rewrites node tooling/src/sync-docs.ts --check fails if something would be rewritten
import { join } from "node:path";

import { ignoreClosedPipe } from "./closed-pipe.ts";
import { workspaceCommandLine } from "./docs/command-line.ts";
import { syncDocuments } from "./docs/documents.ts";

ignoreClosedPipe();
const root = join(import.meta.dirname, "../..");
const check = process.argv.includes("--check");
const { changed, problems } = await syncDocuments(root, {
  check,
  commandLine: await workspaceCommandLine(),
});

for (const path of changed)
  process.stdout.write(
    `${check ? "stale, run node tooling/src/sync-docs.ts:" : "wrote"} ${path}\n`,
  );
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length > 0 || (check && changed.length > 0) ? 1 : 0;
