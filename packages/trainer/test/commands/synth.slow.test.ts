import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { findRuns, readChats } from "@envs/records/node";
import { describe, expect, test } from "vitest";

import { envsHere, temporaryFolder } from "../../../cli/test/command.ts";

const perfect = ["synth", "./environments/reverse-text", "-m", "policy:perfect"];

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function lines(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("envs synth", () => {
  test("plays, filters and writes readable chat JSONL", async () => {
    const save = await temporaryFolder();
    const { code, stdout } = await envsHere(
      perfect.concat(
        ["-n", "8", "--where", "exact == 1 && reward > 1"],
        ["--save", save, "--sequence-length", "2000"],
      ),
    );
    expect(code).toBe(0);
    expect(stdout).toContain("kept      8 of 8 rollouts");
    expect(stdout).toContain("100% fit 2000 tokens");
    const [run] = await findRuns(save);
    const chats = await collect(readChats(join(run!, "chats.jsonl")));
    expect(chats).toHaveLength(8);
    expect(chats.map(({ messages }) => messages.map(({ role }) => role).join())).toEqual(
      Array.from({ length: 8 }, () => "system,user,assistant"),
    );
  });

  test("writes the same file each time for a saved run", async () => {
    const save = await temporaryFolder();
    await envsHere([...perfect, "-n", "5", "--save", save]);
    const [run] = await findRuns(save);
    const first = join(save, "first.jsonl");
    const again = join(save, "again.jsonl");
    for (const file of [first, again])
      expect((await envsHere(["synth", run!, "-o", file])).code).toBe(0);
    expect(await readFile(again, "utf8")).toBe(await readFile(first, "utf8"));
    expect((await lines(first)).map((row) => Object.keys(row))[0]).toEqual([
      "messages",
      "environment",
      "model",
      "example_key",
      "rollout_index",
      "reward",
    ]);
    const bare = join(save, "bare.jsonl");
    await envsHere(["synth", run!, "-o", bare, "--bare"]);
    expect((await lines(bare)).flatMap((row) => Object.keys(row))).toEqual(
      Array.from({ length: 5 }, () => "messages"),
    );
  });

  test("plays the split train and records the tools", async () => {
    const save = await temporaryFolder();
    const search = ["synth", "./environments/wiki-search", "-m", "policy:oracle", "-n", "1"];
    expect((await envsHere([...search, "--save", save])).code).toBe(0);
    const [run] = await findRuns(save);
    const metadata = JSON.parse(await readFile(join(run!, "metadata.json"), "utf8")) as object;
    expect(metadata).toMatchObject({ split: "train", rollouts_per_example: 1 });
    const [chat] = await lines(join(run!, "chats.jsonl"));
    expect(chat).toMatchObject({
      tools: [{ type: "function", function: { name: "search" } }, {}, {}],
    });
    expect(JSON.stringify(chat)).toContain('"tool_calls":[{"id"');
  });

  test("reports a mistake in --where before it plays", async () => {
    const save = await temporaryFolder();
    const { code, stderr } = await envsHere([...perfect, "--where", "exakt == 1", "--save", save]);
    expect(code).toBe(2);
    expect(stderr).toContain("Did you mean exact?");
    expect(await findRuns(save)).toEqual([]);
  });

  test("does not write a file if every rollout is excluded", async () => {
    const save = await temporaryFolder();
    const args = [...perfect, "-n", "3", "--where", "exact == 0", "--save", save];
    const { code, stdout, stderr } = await envsHere(args);
    expect(code).toBe(1);
    expect(stdout).toContain("excluded  3  not exact == 0");
    expect(stderr).toContain("No rollout matches, so no file was written.");
    const [run] = await findRuns(save);
    await expect(readFile(join(run!, "chats.jsonl"))).rejects.toThrow("ENOENT");
  });

  test("resumes an interrupted run, then writes its conversations", async () => {
    const save = await temporaryFolder();
    await envsHere([...perfect, "-n", "4", "--save", save]);
    const [run] = await findRuns(save);
    const results = join(run!, "results.jsonl");
    const [first] = (await readFile(results, "utf8")).split("\n");
    await writeFile(results, `${first}\n{"torn`);
    const metadata = await readFile(join(run!, "metadata.json"), "utf8");
    const cut = metadata.replace('"is_complete": true', '"is_complete": false');
    await writeFile(join(run!, "metadata.json"), cut);
    const { code, stdout } = await envsHere(["synth", "--resume", "--save", save]);
    expect(code).toBe(0);
    expect(stdout).toContain("kept      4 of 4 rollouts");
  });

  test("rejects -m for a saved run", async () => {
    const save = await temporaryFolder();
    await envsHere([...perfect, "-n", "1", "--save", save]);
    const [run] = await findRuns(save);
    const { code, stderr } = await envsHere(["synth", run!, "-m", "policy:echo"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Remove -m");
  });
});
