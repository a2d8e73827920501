// Renames the npm scope of all packages: in their names, imports, messages, documents and the lockfile.
//   node tooling/src/rename-scope.ts @new-scope            this repository
//   node tooling/src/rename-scope.ts @new-scope <folder>   another clone
import { join, resolve } from "node:path";

import { renameScope } from "./release/rename-scope.ts";

const [scope = "", folder = join(import.meta.dirname, "../..")] = process.argv.slice(2);
if (/^@[a-z0-9][a-z0-9._-]*$/.test(scope)) {
  const changed = renameScope(resolve(folder), scope);
  process.stdout.write(
    `renamed the scope to ${scope} in ${changed.length} files; next: npx -y pnpm@12 install\n`,
  );
} else {
  process.stderr.write(
    `${JSON.stringify(scope)} is not a scope. Example: node tooling/src/rename-scope.ts @our-lab\n`,
  );
  process.exitCode = 2;
}
