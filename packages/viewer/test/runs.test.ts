import { appendFile, mkdir, readFile, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { Workspace } from "../src/node/runs/workspace.ts";
import { line, temporaryFolder, writeRun } from "./folders.ts";
import { episode, sample } from "./records.ts";
import { zipFile } from "./zip-file.ts";

describe("a growing run", () => {
  test("shows complete lines, and a line once its writer has completed it", async () => {
    const path = await writeRun(await temporaryFolder(), { lines: line(0) + line(1).slice(0, 50) });
    const reader = new Workspace().open(path);
    await reader.refresh();
    expect(reader.rows.map(({ id }) => id)).toEqual(["0-0"]);
    await appendFile(join(path, "results.jsonl"), line(1).slice(50));
    await reader.refresh();
    expect(reader.rows.map(({ id }) => id)).toEqual(["0-0", "1-0"]);
    expect(JSON.parse(await reader.readRecord(reader.rows[1]!))).toMatchObject({ example_id: 1 });
  });

  test("reports a cut line of a program that ended, until the line is completed", async () => {
    const path = await writeRun(await temporaryFolder(), { lines: line(0) + line(1).slice(0, 50) });
    const results = join(path, "results.jsonl");
    await utimes(results, new Date(), new Date(Date.now() - 60_000));
    const reader = new Workspace().open(path);
    await reader.refresh();
    expect(reader.rows.map(({ status }) => status)).toEqual(["scored", "broken"]);
    expect(reader.rows[1]!.preview).toMatch(/^The record is cut/);
    await appendFile(results, line(1).slice(50));
    await reader.refresh();
    expect(reader.generation).toBe(1);
    expect(reader.rows.map(({ status }) => status)).toEqual(["scored", "scored"]);
  });

  test("starts again when a resumed run has replaced its file", async () => {
    const path = await writeRun(await temporaryFolder(), { lines: line(0) + line(1) });
    const reader = new Workspace().open(path);
    await reader.refresh();
    await writeFile(join(path, "draft"), line(5) + line(6) + line(7));
    await rename(join(path, "draft"), join(path, "results.jsonl"));
    await reader.refresh();
    expect(reader.generation).toBe(1);
    expect(reader.rows.map(({ id }) => id)).toEqual(["5-0", "6-0", "7-0"]);
  });

  test("keeps letters whole that chunks of the file separate", async () => {
    const long = "ä€😀".repeat(200_000);
    const path = await writeRun(await temporaryFolder(), {
      lines: line(0, { answer: long }) + line(1),
    });
    const reader = new Workspace().open(path);
    await reader.refresh();
    expect(reader.rows.map(({ id }) => id)).toEqual(["0-0", "1-0"]);
    expect(JSON.parse(await reader.readRecord(reader.rows[0]!))).toMatchObject({ answer: long });
  });
});

test("shows the cost that the metadata has, and the source of its prices", async () => {
  const path = await writeRun(await temporaryFolder(), { lines: line(0) });
  const file = join(path, "metadata.json");
  const metadata = JSON.parse(await readFile(file, "utf8")) as object;
  const price = { input: 1, output: 2, source: "genai-prices 0.1.8: openai/gpt-5-mini" };
  await writeFile(file, JSON.stringify({ ...metadata, cost: 0.0123, price }));
  const head = await new Workspace().open(path).readHead();
  expect(head.cost).toEqual({ total: 0.0123, source: price.source });
});

describe("runs of other programs", () => {
  test("opens the folder of verifiers 0.3", async () => {
    const fixture = join(import.meta.dirname, "../../records/test/fixtures/verifiers-run");
    const reader = new Workspace().open(fixture);
    await reader.refresh();
    expect(await reader.readHead()).toMatchObject({ format: "verifiers", isComplete: true });
    expect(reader.rows.filter(({ status }) => status === "scored").length).toBeGreaterThan(0);
  });

  test("opens the folder of verifiers 0.4", async () => {
    const path = join(await temporaryFolder(), "sums--gpt--null--1a2b");
    await mkdir(path);
    await writeFile(join(path, "traces.jsonl"), `${JSON.stringify(episode)}\n`);
    const reader = new Workspace().open(path);
    await reader.refresh();
    expect(await reader.readHead()).toMatchObject({ environment: "sums", model: "gpt" });
    expect(reader.rows).toMatchObject([{ id: "3-0", reward: 2 }]);
  });

  const header = {
    status: "success",
    eval: { task: "rivers", model: "openai/gpt", created: "2026-11-22" },
  };
  const { messages: _, attachments: __, ...summary } = sample;

  test.each(["store", "deflate", "zstd"] as const)(
    "opens an archive of Inspect that is compressed with %s",
    async (method) => {
      const path = join(await temporaryFolder(), "log.eval");
      const files = {
        "header.json": header,
        "summaries.json": [summary],
        "samples/q-1_epoch_2.json": JSON.stringify(sample, undefined, 2),
      };
      await writeFile(path, zipFile(files, method));
      const reader = new Workspace().open(path);
      expect(await reader.readHead()).toMatchObject({ environment: "rivers", format: "inspect" });
      expect(reader.rows).toMatchObject([{ id: "q-1-1", reward: 1, cost: 0.01 }]);
      expect(JSON.parse(await reader.readRecord(reader.rows[0]!))).toEqual(sample);
    },
  );

  test("reads the journal of an Inspect evaluation that is still running", async () => {
    const path = join(await temporaryFolder(), "log.eval");
    const files = {
      "_journal/start.json": { eval: header.eval },
      "_journal/summaries/1.json": [summary],
      "_journal/summaries/10.json": [{ ...summary, id: "third" }],
      "_journal/summaries/2.json": [{ ...summary, id: "second" }],
    };
    await writeFile(path, zipFile(files));
    const reader = new Workspace().open(path);
    expect(await reader.readHead()).toMatchObject({ isComplete: false });
    expect(reader.rows.map(({ example }) => example)).toEqual(["q-1", "second", "third"]);
  });

  test("joins the parts of a long sample", async () => {
    const path = join(await temporaryFolder(), "log.eval");
    const folder = "samples/q-1_epoch_2";
    const message = (content: string) => ({ role: "user", content });
    const files = {
      "header.json": header,
      "summaries.json": [summary],
      [`${folder}/sample.json`]: { id: "q-1", epoch: 2 },
      [`${folder}/messages/1000.json`]: [message("attachment://0")],
      [`${folder}/messages/0.json`]: [message("first")],
      [`${folder}/attachments/0.json`]: ["second"],
    };
    await writeFile(path, zipFile(files));
    const reader = new Workspace().open(path);
    await reader.refresh();
    expect(JSON.parse(await reader.readRecord(reader.rows[0]!))).toMatchObject({
      messages: [{ content: "first" }, { content: "attachment://0" }],
      attachments: { 0: "second" },
    });
  });

  test("opens a JSON log of Inspect", async () => {
    const path = join(await temporaryFolder(), "log.json");
    await writeFile(path, JSON.stringify({ version: 2, ...header, samples: [sample] }));
    const reader = new Workspace().open(path);
    await reader.refresh();
    expect(reader.rows).toMatchObject([{ id: "q-1-1", status: "scored" }]);
  });

  test.each([
    ["cut.eval", zipFile({ "header.json": header }).subarray(0, 40), /not a complete zip archive/],
    ["cut.json", Buffer.from('{"eval": {'), /not a complete JSON file/],
    ["other.json", Buffer.from("{}"), /not a log of Inspect/],
  ])("reports why %s cannot be read", async (name, bytes, reason) => {
    const path = join(await temporaryFolder(), name);
    await writeFile(path, bytes);
    await expect(new Workspace().open(path).refresh()).rejects.toThrow(reason);
  });
});

describe("a training run", () => {
  test("has its curves and the steps whose rollouts are saved", async () => {
    const path = join(await temporaryFolder(), "train/search/run");
    await mkdir(join(path, "rollouts/rl-20"), { recursive: true });
    await writeFile(
      join(path, "run.json"),
      JSON.stringify({
        environment: { name: "search" },
        plan: { phases: { sft: {}, rl: {} } },
        is_complete: false,
      }),
    );
    await writeFile(join(path, "rollouts/rl-20/metadata.json"), "{}");
    const point = (step: number, reward: number) =>
      `${JSON.stringify({ phase: "rl", step, kind: "rl", at: step, values: { reward } })}\n`;
    await writeFile(join(path, "metrics.jsonl"), point(1, 0.1) + point(2, 0.2));
    const workspace = new Workspace();
    const reader = workspace.open(path);
    await reader.refresh();
    const head = await reader.readHead();
    expect(head).toMatchObject({
      kind: "training",
      isComplete: false,
      steps: [{ phase: "rl", step: 20 }],
    });
    expect(await workspace.find(head.steps[0]!.run)).toBeDefined();
    // A resumed training writes the last steps again.
    await appendFile(join(path, "metrics.jsonl"), point(2, 0.3));
    await reader.refresh();
    expect(reader.curves.map(({ step, values }) => [step, values["reward"]])).toEqual([
      [1, 0.1],
      [2, 0.3],
    ]);
  });
});

describe("a workspace", () => {
  test("lists opened runs first, then those of the folder, the newest first", async () => {
    const outputs = await temporaryFolder();
    await writeRun(outputs, { lines: line(0), name: "old", date: "2026-01-01" });
    await writeRun(outputs, { lines: line(0), name: "new", date: "2026-02-01" });
    const other = await writeRun(await temporaryFolder(), {
      lines: line(0),
      name: "other",
      date: "2025-01-01",
    });
    const workspace = new Workspace(outputs);
    workspace.open(other);
    expect((await workspace.list()).map(({ date }) => date)).toEqual([
      "2025-01-01",
      "2026-02-01",
      "2026-01-01",
    ]);
  });

  test("rejects a path that is not a run, and names the expected files", async () => {
    const path = await temporaryFolder();
    expect(() => new Workspace().open(path)).toThrow(
      /neither metadata.json, run.json nor traces.jsonl/,
    );
    expect(() => new Workspace().open(join(path, "absent"))).toThrow(/does not exist/);
  });
});
