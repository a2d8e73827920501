import { globSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** Folders of .gitignore, and git's own. */
const ignored =
  /(?:^|\/)(?:\.git|node_modules|dist|outputs|\.turbo|\.models|coverage|\.vitest|__pycache__)$/;
const generated = /\.generated\.ts$|\.tgz$|\.tsbuildinfo$|(?:^|\/)envs\.manifest\.json$/;

/** The files of this repository that match a pattern, as paths from its root, without ignored ones. It does not need git. */
export function repositoryFiles(patterns: readonly string[]): readonly string[] {
  return globSync(patterns, {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => ignored.test(name),
  })
    .filter((entry) => entry.isFile() && !generated.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted();
}
