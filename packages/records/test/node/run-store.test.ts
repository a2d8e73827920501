import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Rollout, userMessage } from "@envs/core";
import { type Metadata, parseRow, toRow } from "@envs/records";
import { createRun, findRuns, readRun, reopenRun, runsFolder } from "@envs/records/node";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";

const metadata: Metadata = {
  schema_version: 1,
  env_id: "counting",
  env_args: {},
  model: "policy:perfect",
  num_examples: 5,
  rollouts_per_example: 2,
  sampling_args: {},
  pass_threshold: 0.5,
};

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "envs-run-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const span = { start: 1000, end: 2000 };

function rollout(exampleKey: string, rolloutIndex: number, reward?: number): Rollout {
  const base = {
    environment: "counting",
    example: { prompt: exampleKey },
    exampleIndex: 0,
    exampleKey,
    rolloutIndex,
    prompt: [],
    completion: [],
    trajectory: [],
    isTruncated: false,
    isFiltered: false,
    usage: { inputTokens: 1, outputTokens: 2 },
    timing: { setup: span, generation: span, scoring: span },
  };
  if (reward !== undefined)
    return { status: "scored", ...base, stopReason: "end", reward, scores: { right: reward } };
  const error = { code: "model", message: "gone", chain: ["Error: gone"], isFatal: false } as const;
  return { status: "failed", ...base, error };
}

async function writeRun(path: string, rollouts: readonly Rollout[]): Promise<void> {
  const run = await createRun(path, metadata);
  for (const played of rollouts) await run.append(played);
  await run.close();
}

describe("a run", () => {
  test("returns the appended rollouts", async () => {
    const path = await folder();
    await writeRun(path, [rollout("a", 0, 1), rollout("a", 1), rollout("b", 0, 0.5)]);
    const run = await readRun(path);
    expect(run.rollouts).toEqual([rollout("a", 0, 1), rollout("a", 1), rollout("b", 0, 0.5)]);
    expect(run.metadata).toEqual(metadata);
    expect(run.problems).toEqual([]);
  });

  test("returns rollouts whose replies contain the line separators of Unicode", async () => {
    const path = await folder();
    const replies = ["a\u2028b", "a\u2029b", "a\u0085b", "a\rb"];
    const rollouts = replies.map((text) => ({
      ...rollout(text, 0, 1),
      prompt: [userMessage(text)],
    }));
    await writeRun(path, rollouts);
    const run = await readRun(path);
    expect(run.rollouts).toEqual(rollouts);
    expect(run.problems).toEqual([]);
  });

  test("keeps the order of appends that were not awaited", async () => {
    const path = await folder();
    const run = await createRun(path, metadata);
    const rollouts = Array.from({ length: 200 }, (_, index) => rollout(`example ${index}`, 0, 1));
    await Promise.all(rollouts.map((played) => run.append(played)));
    await run.close();
    expect((await readRun(path)).rollouts).toEqual(rollouts);
  });

  test("writes the line that a rollout was parsed from, unless it has line feeds", async () => {
    const path = await folder();
    const run = await createRun(path, metadata);
    const line = JSON.stringify({ ...toRow(rollout("a", 0, 1)), note: "of its worker" });
    const long = JSON.stringify(toRow(rollout("b", 0, 1)), undefined, 2);
    for (const text of [line, long]) await run.append(parseRow(text) as Rollout);
    await run.close();
    const written = await readFile(join(path, "results.jsonl"), "utf8");
    expect(written).toBe(`${line}\n${JSON.stringify(JSON.parse(long))}\n`);
  });

  test("reads the rollouts before an incomplete last line", async () => {
    const path = await folder();
    await writeRun(path, [rollout("a", 0, 1)]);
    await appendFile(join(path, "results.jsonl"), '{"example_id": 1, "prompt": "wha');
    const run = await readRun(path);
    expect(run.rollouts).toEqual([rollout("a", 0, 1)]);
    expect(run.problems).toEqual([{ line: 2, problem: expect.stringContaining("cut") }]);
  });

  test("returns the last version of a rollout that was written twice", async () => {
    const path = await folder();
    await writeRun(path, [rollout("a", 0), rollout("b", 0, 1), rollout("a", 0, 0.25)]);
    const { rollouts } = await readRun(path);
    expect(rollouts).toHaveLength(2);
    expect(rollouts).toContainEqual(rollout("a", 0, 0.25));
  });

  test("has no rollouts without a results file", async () => {
    const path = await folder();
    await writeFile(join(path, "metadata.json"), JSON.stringify(metadata));
    expect((await readRun(path)).rollouts).toEqual([]);
  });

  test("rejects a folder that is not a run with the path and the reason", async () => {
    const path = await folder();
    await expect(readRun(path)).rejects.toThrow(/is not a run: cannot read metadata\.json/);
  });

  test("replaces metadata fields atomically", async () => {
    const path = await folder();
    const run = await createRun(path, metadata);
    await run.update({ is_complete: true });
    await run.close();
    expect((await readRun(path)).metadata).toEqual({ ...metadata, is_complete: true });
    expect(await readdir(path)).toEqual(["metadata.json", "results.jsonl"]);
  });
});

describe("reopenRun()", () => {
  test("keeps scored rollouts only", async () => {
    const path = await folder();
    await writeRun(path, [rollout("a", 0, 1), rollout("a", 1), rollout("b", 0, 0)]);
    await appendFile(join(path, "results.jsonl"), '{"torn');
    const kept: Rollout[] = [];
    const run = await reopenRun(path, { onKept: (each) => kept.push(each) });
    expect(kept).toEqual([rollout("a", 0, 1), rollout("b", 0, 0)]);
    expect(run.has({ exampleKey: "a", rolloutIndex: 0 })).toBe(true);
    expect(run.has({ exampleKey: "a", rolloutIndex: 1 })).toBe(false);
    await run.append(rollout("a", 1, 0.5));
    await run.close();
    const { rollouts, problems } = await readRun(path);
    expect(problems).toEqual([]);
    expect(rollouts).toHaveLength(3);
  });

  test("keeps the latest version of a rollout, and moves the others that were scored", async () => {
    const path = await folder();
    await writeRun(path, [rollout("a", 0, 0), rollout("b", 0, 1), rollout("a", 0, 1)]);
    const run = await reopenRun(path, {
      select: (saved) => saved.filter(({ exampleKey }) => exampleKey === "a"),
    });
    await run.close();
    expect((await readRun(path)).rollouts).toEqual([rollout("a", 0, 1)]);
    const removed = (await readFile(join(path, "removed.jsonl"), "utf8")).trim().split("\n");
    expect(removed.map((line) => JSON.parse(line))).toMatchObject([{ example_key: "b" }]);
  });

  test("has only a part of a large run in memory", async () => {
    const path = await folder();
    await writeRun(path, []);
    const line = JSON.stringify(toRow(rollout("a", 0, 1))).replace(
      '"completion":[]',
      `"completion":[{"role":"assistant","content":"${"x".repeat(100_000)}"}]`,
    );
    const lines = Array.from({ length: 500 }, (_, index) =>
      line.replace('"rollout_index":0', `"rollout_index":${index}`),
    );
    await writeFile(join(path, "results.jsonl"), `${lines.join("\n")}\n`);
    const program = `
      import { reopenRun } from "@envs/records/node";
      let kept = 0;
      const run = await reopenRun(process.argv[1], { onKept: () => (kept += 1) });
      await run.close();
      console.log(kept);`;
    // The run has 50 MB, which as objects and text would not fit in this heap. A larger young generation costs five times the work.
    const args = [
      "--max-old-space-size=40",
      "--max-semi-space-size=1",
      "--input-type=module",
      "-e",
      program,
      path,
    ];
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname });
    let output = "";
    child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
    const [code] = (await once(child, "close")) as [number];
    expect({ code, output }).toEqual({ code: 0, output: "500\n" });
  });

  test("leaves the run as it is when its signal is aborted", async () => {
    const path = await folder();
    await writeRun(path, [rollout("a", 0, 1), rollout("a", 1)]);
    const before = await readFile(join(path, "results.jsonl"), "utf8");
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(reopenRun(path, { signal })).rejects.toThrow("stopped");
    expect(await readFile(join(path, "results.jsonl"), "utf8")).toBe(before);
    await (await reopenRun(path)).close();
  });

  test("keeps the rollouts that the caller selects", async () => {
    const path = await folder();
    await writeRun(path, [rollout("a", 0, 1), rollout("b", 0, 1)]);
    const run = await reopenRun(path, {
      select: (saved) => saved.filter(({ exampleKey }) => exampleKey === "b"),
    });
    await run.close();
    expect((await readRun(path)).rollouts).toEqual([rollout("b", 0, 1)]);
  });

  test("contains every rollout once after repeated interruptions", async () => {
    const keys = Array.from({ length: 6 }, (_, index) => rollout(`e${index >> 1}`, index % 2, 1));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ plays: fc.nat(6), cut: fc.nat(60) }), { maxLength: 5 }),
        async (sessions) => {
          const path = await folder();
          await writeRun(path, []);
          const play = async (most: number): Promise<void> => {
            const run = await reopenRun(path);
            const missing = keys.filter((key) => !run.has(key));
            for (const played of missing.slice(0, most)) await run.append(played);
            await run.close();
          };
          for (const { plays, cut } of sessions) {
            await play(plays);
            const file = join(path, "results.jsonl");
            const bytes = await readFile(file);
            await writeFile(file, bytes.subarray(0, Math.max(0, bytes.length - cut)));
          }
          await play(keys.length);
          const { rollouts, problems } = await readRun(path);
          expect(problems).toEqual([]);
          expect(new Set(rollouts.map((key) => JSON.stringify(key)))).toEqual(
            new Set(keys.map((key) => JSON.stringify(key))),
          );
          const text = await readFile(join(path, "results.jsonl"), "utf8");
          expect(text.trim().split("\n")).toHaveLength(keys.length);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("two processes", () => {
  const writer = `
    import { createRun } from "@envs/records/node";
    await createRun(process.argv[1], ${JSON.stringify(metadata)});
    process.stdout.write("ready");
    setInterval(() => {}, 1000);
  `;

  async function startWriter(path: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, ["--input-type=module", "-e", writer, path], {
      cwd: join(import.meta.dirname, "../.."),
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  test("cannot write to one run: the second gets an error with the first one's id", async () => {
    const path = await folder();
    const child = await startWriter(path);
    try {
      await expect(reopenRun(path)).rejects.toThrow(`Process ${child.pid} is writing to`);
    } finally {
      await kill(child);
    }
  });

  test("can read a run while another process writes to it", async () => {
    const path = await folder();
    const child = await startWriter(path);
    try {
      expect((await readRun(path)).metadata.env_id).toBe("counting");
    } finally {
      await kill(child);
    }
  });

  test("can write to a run one after the other, also after a kill", async () => {
    const path = await folder();
    await kill(await startWriter(path));
    const run = await reopenRun(path);
    await run.append(rollout("a", 0, 1));
    await run.close();
    expect((await readRun(path)).rollouts).toHaveLength(1);
    expect(await readdir(path)).not.toContain("run.lock");
  });
});

describe("findRuns()", () => {
  test("returns the newest run first", async () => {
    const path = await folder();
    for (const [model, run, date] of [
      ["a", "1", "2026-01-02T00:00:00.000Z"],
      ["b", "2", "2026-03-01T00:00:00.000Z"],
      ["b", "3", "2026-02-01T00:00:00.000Z"],
    ] as const) {
      const at = join(runsFolder(path, "counting", model), run);
      await (await createRun(at, { ...metadata, date })).close();
    }
    const names = (await findRuns(path)).map((path) => path.split("/").at(-1));
    expect(names).toEqual(["2", "3", "1"]);
  });

  test("dates a run of verifiers by its file", async () => {
    const path = await folder();
    const old = join(runsFolder(path, "counting", "a"), "dated");
    await (await createRun(old, { ...metadata, date: "2020-01-01T00:00:00.000Z" })).close();
    const { schema_version: _, ...foreign } = metadata;
    const recent = join(runsFolder(path, "counting", "a"), "undated");
    await mkdir(recent, { recursive: true });
    await writeFile(join(recent, "metadata.json"), JSON.stringify(foreign));
    expect(await findRuns(path)).toEqual([recent, old]);
  });

  test("returns an empty list without a folder and skips folders that are not runs", async () => {
    const path = await folder();
    expect(await findRuns(join(path, "nowhere"))).toEqual([]);
    await mkdir(join(path, "evals", "a--b", "empty"), { recursive: true });
    await writeFile(join(path, "evals", "note.txt"), "");
    expect(await findRuns(path)).toEqual([]);
  });

  test("runsFolder() returns names that every file system accepts", () => {
    expect(runsFolder("out", "tictactoe", "org/model:free?")).toBe(
      join("out", "evals", "tictactoe--org--model_free_"),
    );
    expect(runsFolder("out", "tictactoe", "policy:mixed(0.3)")).toBe(
      join("out", "evals", "tictactoe--policy_mixed(0.3)"),
    );
  });
});
