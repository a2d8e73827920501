import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { type Figure, seconds } from "./figure.ts";
import { generateEnvironment, searchWords } from "./hub/environment.ts";
import { runLoad } from "./hub/load.ts";
import { bin, ours } from "./hub/ours.ts";
import { publishEnvironments } from "./hub/publishing.ts";
import { type Registry, residentMemory } from "./hub/registry.ts";

const run = promisify(execFile);
const [packages, versionsOfEach, pageCount] = [10_000, 10, 48];
const copyVersions = join(import.meta.dirname, "../../hub-server/test/support/copy-versions.ts");

/** Measures our hub with 10,000 packages and 100,000 versions in its embedded database. The folder is kept if `CORPUS` names it. */
export async function corpus(): Promise<readonly Figure[]> {
  const kept = process.env["CORPUS"];
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "envs-bench-corpus-")));
  try {
    if ((await stat(join(folder, "database")).catch(() => undefined)) === undefined)
      await fill(folder);
    return [...(await measureRequests(folder)), ...(await measureBackup(folder))];
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function fill(folder: string): Promise<void> {
  {
    await using hub = await ours.start(folder);
    const publisher = { url: hub.url, token: await ours.token(hub) };
    await publishEnvironments([publisher], [0, packages]);
  }
  const flags = ["--conditions=@envs/source", copyVersions];
  await run(process.execPath, [...flags, folder, String(versionsOfEach)]);
}

async function measureRequests(folder: string): Promise<readonly Figure[]> {
  const start = performance.now();
  await using hub = await ours.start(folder);
  const figures: Figure[] = [
    { name: "corpus: start", value: (performance.now() - start) / 1000, unit: "s" },
  ];
  for (const [name, paths] of await requests()) figures.push(...(await measure(hub, name, paths)));
  figures.push({ name: "corpus: memory after it", value: residentMemory(hub.child), unit: "MiB" });
  return figures;
}

/** Paths that no cache of responses has, because each of them is sent once. */
async function requests(): Promise<ReadonlyMap<string, readonly string[]>> {
  const words = searchWords.slice(0, pageCount);
  const names: string[] = [];
  for (let index = 0; index < pageCount; index += 1)
    names.push((await generateEnvironment(index * 200)).name);
  return new Map([
    ["home", words.map((word) => `/?from=${word}`)],
    ["search page", words.map((word) => `/search?q=${word}`)],
    ["search page, misspelt", words.map((word) => `/search?q=${word.slice(1)}${word[0]}`)],
    ["npm search", words.map((word) => `/-/v1/search?text=${word}&size=20`)],
    ["all packages", words.map((word) => `/search?from=${word}`)],
    ["feed", words.map((word) => `/feed.atom?from=${word}`)],
    ["package page", names.map((name) => `/package/${name}`)],
    ["versions page", names.map((name) => `/package/${name}/versions`)],
    ["packument", names.map((name) => `/${name.replace("/", "%2f")}`)],
    ["events", words.map((_, index) => `/-/events?since=${index * 100}`)],
  ]);
}

async function measure(
  hub: Registry,
  name: string,
  paths: readonly string[],
): Promise<readonly Figure[]> {
  const list = paths.map((path) => ({ path }));
  const load = { url: hub.url, requests: list, amount: list.length, connections: 1 };
  const { p50, p95 } = await runLoad(load);
  return [
    { name: `corpus: ${name}, p50`, value: p50, unit: "ms" },
    { name: `corpus: ${name}, p95`, value: p95, unit: "ms" },
  ];
}

async function measureBackup(folder: string): Promise<readonly Figure[]> {
  const file = `${folder}.backup`;
  try {
    const value = await seconds(
      async () => void (await run(process.execPath, [bin, "backup", file, "--data", folder])),
    );
    const { size } = await stat(file);
    return [
      { name: "corpus: backup", value, unit: "s" },
      { name: "corpus: size of the backup", value: size / 2 ** 20, unit: "MiB" },
    ];
  } finally {
    await rm(file, { force: true });
  }
}
