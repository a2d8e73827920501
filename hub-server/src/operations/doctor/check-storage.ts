import { createHash, randomBytes } from "node:crypto";
import { statfs } from "node:fs/promises";
import { buffer } from "node:stream/consumers";

import type { BlobStore } from "../../platform/blobs/blob-store.ts";
import { attempt, failure, type Finding, ok, warning } from "./finding.ts";

const slowMs = 500;

/** Writes, reads and deletes a random blob. */
export async function checkBlobs(blobs: BlobStore): Promise<readonly Finding[]> {
  const remedy =
    "Check HUB_BLOBS or HUB_DATA. A bucket needs the rights to list, get, put and delete objects.";
  return await attempt("blob store", remedy, async () => {
    const bytes = randomBytes(1000);
    const key = createHash("sha512").update(bytes).digest("hex");
    const start = performance.now();
    await blobs.check();
    await blobs.put(key, bytes);
    try {
      const problems = await problemsOf(blobs, key, bytes);
      if (problems.length > 0) return failure("blob store", problems.join(" "), remedy);
    } finally {
      await blobs.delete(key);
    }
    if (await blobs.has(key)) return failure("blob store", "It does not delete blobs.", remedy);
    const took = performance.now() - start;
    const message = `writes, reads and deletes a blob in ${took.toFixed(0)} ms`;
    return took <= slowMs
      ? ok("blob store", message)
      : warning("blob store", message, "Run the hub near its object store.");
  });
}

async function problemsOf(
  blobs: BlobStore,
  key: string,
  bytes: Buffer,
): Promise<readonly string[]> {
  const whole = await blobs.get(key);
  const part = await blobs.stream(key, { start: 10, end: 19 });
  const isWhole = whole !== undefined && bytes.equals(whole);
  const isPart = part !== undefined && bytes.subarray(10, 20).equals(await buffer(part.body));
  return [
    ...(isWhole ? [] : ["It returns other bytes than it received."]),
    ...(isPart ? [] : ["It does not return a range of bytes."]),
  ];
}

const [minBytes, fewBytes] = [48 * 2 ** 20, 2 ** 30];

/** Checks the disk of the data folder; `undefined` if the hub keeps nothing on this machine. */
export async function checkDisk(folder: string | undefined): Promise<readonly Finding[]> {
  if (folder === undefined) return [];
  return await attempt(
    "disk",
    "Start the hub once, which creates its folder, or correct HUB_DATA.",
    async () => {
      const { bavail, bsize } = await statfs(folder);
      const free = bavail * bsize;
      const message = `${(free / 2 ** 30).toFixed(1)} GiB are free for ${folder}`;
      const remedy = "Free space, or enlarge the disk. envs-hub sweep deletes unreferenced blobs.";
      if (free < minBytes) return failure("disk", message, remedy);
      return free < fewBytes ? warning("disk", message, remedy) : ok("disk", message);
    },
  );
}
