import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Replaces the scope of a clone's packages in all its text files. Returns the changed files. */
export function renameScope(root: string, scope: string): readonly string[] {
  const current = currentScope(root);
  const pattern = new RegExp(`${current}(?![\\w-]|\\.\\w)`, "g");
  return trackedFiles(root).filter((path) => {
    const file = join(root, path);
    const before = readFileSync(file);
    // A file with a zero byte is not text.
    if (before.includes(0)) return false;
    const text = before.toString("utf8");
    const renamed = text.replaceAll(pattern, scope);
    if (renamed === text) return false;
    writeFileSync(file, renamed);
    return true;
  });
}

/** The scope of the package that all others depend on. */
function currentScope(root: string): string {
  const text = readFileSync(join(root, "packages/core/package.json"), "utf8");
  const { name } = JSON.parse(text) as { readonly name: string };
  return name.slice(0, name.indexOf("/"));
}

function trackedFiles(root: string): readonly string[] {
  const options = { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
  return execFileSync("git", ["ls-files", "-z"], options)
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)));
}
