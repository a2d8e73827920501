import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

/** Copies this workspace as it is now, without what git ignores, and makes it a repository. */
export async function cloneWorkspace(target: string): Promise<void> {
  // A deleted file stays in git's index until the next commit.
  const script = `git ls-files -z --cached --others --exclude-standard --deduplicate |
    tar --create --null --files-from=- --ignore-failed-read | tar --extract --directory "$1"`;
  await run("sh", ["-c", script, "sh", target], { cwd: root });
  await run("git", ["init", "-q"], { cwd: target });
  await run("git", ["add", "-A"], { cwd: target });
}
