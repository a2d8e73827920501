import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { describe, expect, test, vi } from "vitest";

import { lines, name, read, startHub, useEmptyCache } from "./sums-dataset.ts";

const cache = useEmptyCache();
const failing = { kind: "status", status: 500 } as const;

/** Prints the number of rows, or the error. */
const reader = `
  import { huggingFace } from "@envs/data";
  import * as z from "zod";
  const options = { split: "train", config: "main", schema: z.looseObject({}) };
  try {
    console.log((await Array.fromAsync(huggingFace("envs/sums", options))).length);
  } catch (error) {
    console.log(error.name + ": " + error.message);
  }
`;

/** Reads the dataset in another process, after a command of the shell. */
function readElsewhere(command = "true"): ChildProcess {
  const script = `${command}; exec "$0" --input-type=module -e "$1"`;
  return spawn("bash", ["-c", script, process.execPath, reader], {
    cwd: join(import.meta.dirname, ".."),
    env: { ...process.env, NODE_COMPILE_CACHE: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** The size of the partial file in the cache. */
async function partialSize(): Promise<number> {
  const blobs = join(cache(), "datasets--envs--sums/blobs");
  const part = (await readdir(blobs).catch(() => [])).find((path) => path.endsWith(".part"));
  return part === undefined ? 0 : (await stat(join(blobs, part))).size;
}

describe("a download", () => {
  test("continues after a cut, a stall and busy servers", async () => {
    const hub = await startHub();
    hub.apiFaults.push({ kind: "status", status: 500 }, { kind: "stall", after: 0 });
    await read("test");
    hub.faults.push(
      { kind: "status", status: 429 },
      { kind: "cut", after: 900 },
      { kind: "stall", after: 700 },
      { kind: "status", status: 503 },
    );
    expect(await read("train")).toHaveLength(200);
    const starts = hub.storage.map(({ range }) => Number(/\d+/.exec(range ?? "")?.[0] ?? 0));
    // The first file: busy, cut, stalled, busy, complete. Then the second.
    expect(starts).toHaveLength(6);
    expect(starts[3]).toBeGreaterThan(0);
    expect(starts[4]).toBe(starts[3]);
  });

  test("is continued by the next reader after its process has failed", async () => {
    const hub = await startHub();
    await read("test");
    hub.faults.push({ kind: "cut", after: 1000 }, ...Array.from({ length: 5 }, () => failing));
    await expect(read("train")).rejects.toThrow(
      /keeps failing for the dataset envs\/sums \(status 500/,
    );
    expect(await read("train")).toHaveLength(200);
    expect(hub.storage.at(-2)?.range).toBe("bytes=1000-");
  });

  test("starts again if the server ignores the range", async () => {
    const hub = await startHub();
    await read("test");
    hub.faults.push({ kind: "cut", after: 1000 }, { kind: "whole" });
    expect(await read("train")).toHaveLength(200);
  });

  test("happens once if two processes ask at once", async () => {
    const hub = await startHub();
    vi.stubEnv("HF_HUB_DOWNLOAD_TIMEOUT", "20");
    await read("test");
    hub.faults.push({ kind: "pause", after: 1000, ms: 2000 });
    const processes = [readElsewhere(), readElsewhere()];
    expect(await Promise.all(processes.map(({ stdout }) => text(stdout!)))).toEqual([
      "200\n",
      "200\n",
    ]);
    expect(hub.storage).toHaveLength(2);
  });

  test("is continued after its process was killed", async () => {
    const hub = await startHub();
    vi.stubEnv("HF_HUB_DOWNLOAD_TIMEOUT", "20");
    await read("test");
    hub.faults.push({ kind: "stall", after: 1000 });
    const killed = readElsewhere();
    await vi.waitUntil(async () => (await partialSize()) === 1000, { timeout: 120_000 });
    killed.kill("SIGKILL");
    await once(killed, "exit");
    expect(await read("train")).toHaveLength(200);
    expect(hub.storage.map(({ range }) => range)).toEqual([undefined, "bytes=1000-", undefined]);
  });

  test("is continued after the disk was full", async () => {
    const large = lines("train", 2000);
    const hub = await startHub({
      datasets: { [name]: { main: { "main/train-00000-of-00001.jsonl": large } } },
    });
    // The shell's limit on file sizes, in KiB, simulates a full disk.
    const full = await text(readElsewhere("ulimit -f 16").stdout!);
    expect(full).toMatch(
      /^WriteError: Cannot save envs\/sums\/main\/train-00000-of-00001.jsonl in .*blobs: .*EFBIG.*\. Free space, or set HF_HUB_CACHE/,
    );
    expect(await read("train")).toHaveLength(2000);
    expect(hub.storage.at(-1)?.range).toBe(`bytes=${16 * 1024}-`);
  });
});
