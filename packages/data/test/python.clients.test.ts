import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { huggingFace } from "@envs/data";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";

import { hubServer } from "./hub-server.ts";
import { parquetFiles, readBoth, textFiles } from "./python-files.ts";

const run = promisify(execFile);
const scripts = join(import.meta.dirname, "python");

async function python(script: string, ...args: readonly string[]): Promise<string> {
  const program = process.env["ENVS_PYTHON"];
  if (program === undefined)
    throw new Error("These tests need Python packages. Run them with pnpm test:clients.");
  const { stdout } = await run(program, [join(scripts, script), ...args]);
  return stdout.trim().split("\n").at(-1) ?? "";
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envs-data-python-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("reads what pyarrow and datasets write now, as Python does", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "envs-data-python-"));
    await python("write_files.py", folder, "500");
    return () => rm(folder, { recursive: true, force: true });
  });

  test.each([...parquetFiles.map((name) => `${name}.parquet`), ...textFiles])(
    "%s",
    async (file) => {
      const { rows, expected } = await readBoth(folder, file);
      expect(rows).toEqual(expected);
    },
  );
});

describe("shares the cache of huggingface_hub", () => {
  const name = "envs/sums";
  const path = "data/train-00000-of-00001.jsonl";
  const text = `${JSON.stringify({ n: 1 })}\n`.repeat(500);
  const files = { "README.md": "# Sums\n", [path]: text };
  const rows = async () => {
    const all = await Array.fromAsync(
      huggingFace(name, { split: "train", schema: z.object({ n: z.number() }) }),
    );
    return all.length;
  };

  async function start() {
    const hub = await hubServer({ datasets: { [name]: { main: files } } });
    onTestFinished(() => hub[Symbol.asyncDispose]());
    const home = await temporaryFolder();
    for (const [variable, value] of Object.entries({
      HF_ENDPOINT: hub.url,
      HF_HOME: home,
      HF_TOKEN: "",
    }))
      vi.stubEnv(variable, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    return hub;
  }

  test("Python reads what we downloaded, without a request", async () => {
    const hub = await start();
    expect(await rows()).toBe(500);
    // Python downloads whole repositories.
    await Array.fromAsync(huggingFace(name, { split: "train", schema: z.looseObject({}) }));
    const { length } = hub.requests;
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    expect(JSON.parse(await python("use_cache.py", name, path))).toEqual({
      text,
      warnings: [],
      repos: 1,
    });
    expect(hub.requests).toHaveLength(length);
  });

  test("we read what Python downloaded, without a request", async () => {
    const hub = await start();
    expect(JSON.parse(await python("use_cache.py", name, path))).toMatchObject({ text });
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    const { length } = hub.requests;
    expect(await rows()).toBe(500);
    expect(hub.requests).toHaveLength(length);
  });
});
