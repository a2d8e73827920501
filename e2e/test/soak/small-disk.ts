import { execFile } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A file system that a test can fill. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** `false` where mounting is not permitted: `path` is a folder of the machine's disk then, and `fill` does nothing. */
  readonly isSmall: boolean;
  /** Writes until no byte is left. */
  fill(): Promise<void>;
  /** Removes what `fill` wrote. */
  free(): Promise<void>;
}

/** Mounts a tmpfs, which only root may do. */
export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), "envs-disk-"));
  const isSmall = await run("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", path])
    .then(() => true)
    .catch(() => false);
  const ballast = join(path, "ballast");
  return {
    path,
    isSmall,
    fill: async () => {
      if (isSmall) await writeUntilFull(ballast);
    },
    free: () => rm(ballast, { force: true }),
    async [Symbol.asyncDispose]() {
      // A killed program may still have files open: detach the mount, which then ends with its last file.
      if (isSmall) await run("umount", ["-l", path]);
      await rm(path, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function writeUntilFull(path: string): Promise<void> {
  const chunk = Buffer.alloc(1 << 20);
  await using file = await open(path, "a");
  for (let size = chunk.length; size > 0;)
    try {
      await file.write(chunk, 0, size);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      size >>= 1;
    }
}
