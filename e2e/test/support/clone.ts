import { execFile } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

/** Copies this workspace as it is now, without what git ignores, and makes it a repository. */
export async function cloneWorkspace(target: string): Promise<void> {
  const { stdout } = await run(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  for (const path of stdout.split("\0").filter((name) => name !== "")) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(join(root, path), join(target, path), { verbatimSymlinks: true }).catch(
      (error: NodeJS.ErrnoException) => {
        // A deleted file stays in git's index until the next commit.
        if (error.code !== "ENOENT") throw error;
      },
    );
  }
  await run("git", ["init", "-q"], { cwd: target });
  await run("git", ["add", "-A"], { cwd: target });
}
