import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { freePort, orRemove, outsideFolder, startOutside } from "./outside-process.ts";

const run = promisify(execFile);
const moto = "5.2.5";
const cache = join(import.meta.dirname, "../../../node_modules/.cache");

/** Starts an S3-compatible server: the Python package moto, which speaks the protocol as the AWS SDKs of the day do. */
export async function startS3(): Promise<{ url: string; close: () => Promise<void> }> {
  const packages = await installed();
  const folder = await outsideFolder("s3");
  return orRemove(folder, async () => {
    const port = await freePort();
    const close = await startOutside({
      command: "python3",
      args: ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)],
      env: { ...process.env, PYTHONPATH: packages, PYTHONUNBUFFERED: "1" },
      ready: /Running on http/,
      signal: "TERM",
      folder,
    });
    return { url: `http://127.0.0.1:${port}`, close };
  });
}

/** Brings moto's packages into the cache, unless they are there. */
async function installed(): Promise<string> {
  const target = join(cache, `moto-${moto}`);
  if (existsSync(target)) return target;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "moto-part-"));
  const packages = [`moto[s3]==${moto}`, "flask", "flask-cors"];
  try {
    await run("python3", ["-m", "pip", "install", "--quiet", "--target", work, ...packages]);
    await rename(work, target);
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    if (existsSync(target)) return target;
    throw new Error(
      `The tests of blobs need an S3-compatible server, and moto ${moto} cannot be installed. Is there a Python 3 with pip (on Debian: apt-get install python3-pip), and a network?`,
      { cause: error },
    );
  }
  return target;
}
