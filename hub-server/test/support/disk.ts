import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A separate disk: ext4 on a loop device. Only root can create one. */
export interface TestDisk extends AsyncDisposable {
  /** The mount point. */
  readonly path: string;
  /** Ends all access to the disk as a power failure does: unsynced data is lost. */
  cutPower(): Promise<void>;
  /** Mounts the disk again, which replays the journal. */
  restorePower(): Promise<void>;
}

/** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: not even the journal in memory is written. */
const shutDown = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack("I", 2))
`;

/** Creates a disk of this size. */
export async function testDisk(mebibytes: number): Promise<TestDisk> {
  const folder = await mkdtemp(join(tmpdir(), "envs-disk-"));
  const [image, path] = [join(folder, "image"), join(folder, "disk")];
  await writeFile(image, "");
  await truncate(image, mebibytes * 2 ** 20);
  await mkdir(path);
  // Without `commit=600`, the kernel would write the journal every five seconds, with or without a sync.
  const mount = () => run("mount", ["-o", "loop,commit=600", image, path]);
  await run("mkfs.ext4", ["-q", "-F", "-m", "0", image]);
  await mount();
  return {
    path,
    cutPower: async () => void (await run("python3", ["-c", shutDown, path])),
    async restorePower() {
      await run("umount", [path]);
      await mount();
    },
    async [Symbol.asyncDispose]() {
      await run("umount", ["-l", path]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
