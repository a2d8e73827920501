import { mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assistantMessage, callTools, type InferExample } from "@envs/core";
import { episode, examples } from "@envs/core/engine";
import { describe, expect, test as base } from "vitest";

import files from "../src/index.ts";
import { type TaskKind, taskKinds } from "../src/tasks.ts";

type Row = InferExample<typeof files>;

async function rowsOf(split: string, count: number, config = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { example } of examples(files(config), { split, count })) rows.push(example);
  return rows;
}

const test = base.extend("start", async ({}, { onCleanup }) => {
  const stack = new AsyncDisposableStack();
  onCleanup(() => stack.disposeAsync());
  return async (task: TaskKind) => {
    const [example] = await rowsOf("eval", 1, { task });
    const game = episode(files({ task }), example!);
    stack.defer(() => game.close());
    await game.start();
    const act = async (name: string, input: object): Promise<unknown> => {
      const { messages } = await game.step(callTools([[name, input]], game.turns));
      return messages[0]?.content;
    };
    return { game, act, example: example!, root: game.state.root };
  };
});

describe("the folder of a rollout", () => {
  test("is scored by its files, shown as /files, and removed at the end", async ({ start }) => {
    const { game, act, example, root } = await start("find");
    const path = example.changes["answer.txt"]!;
    expect(await act("search_files", { path: "/files", pattern: "**/*.md" })).toContain(
      `/files/${path}`,
    );
    expect(await act("read_text_file", { path: `/files/${path}` })).toBe(example.files[path]);
    expect(await act("write_file", { path: "/files-2/answer.txt", content: path })).toMatch(
      /^Error: write_file failed: Access denied .* not in \/files$/u,
    );
    expect(await act("write_file", { path: "answer.txt", content: `${path}\n` })).toBe(
      "Successfully wrote to answer.txt",
    );
    await game.step(assistantMessage("I am not sure."));
    expect(await game.score()).toMatchObject({
      reward: 1,
      scores: { correct: 1, progress: 1, damage: 0 },
    });
    expect(JSON.stringify(game.messages)).not.toContain(root);
    await game.close();
    await expect(stat(root)).rejects.toThrow("ENOENT");
  });

  test("gets no reward with a link, many files or large files", async ({ start }) => {
    const { game, act, example, root } = await start("find");
    const answer = example.changes["answer.txt"]!;
    const outside = join(tmpdir(), `envs-files-outside-${process.pid}.txt`);
    await symlink(outside, join(root, "answer.txt"));
    expect(await act("write_file", { path: "answer.txt", content: answer })).toMatch(/^Error: /u);
    await expect(stat(outside)).rejects.toThrow("ENOENT");
    expect(await game.state.read()).toBeUndefined();

    const other = await start("find");
    await other.act("write_file", { path: "answer.txt", content: answer });
    await writeFile(join(other.root, "huge.txt"), "x".repeat(300_000));
    expect(await other.game.state.read()).toBeUndefined();
    await writeFile(join(other.root, "huge.txt"), "");
    for (let index = 0; index < 200; index += 1) await mkdir(join(other.root, `folder-${index}`));
    await other.game.step(assistantMessage("Done."));
    expect(await other.game.score()).toMatchObject({
      reward: 0,
      scores: { correct: 0, progress: 0, damage: null },
    });
  });
});

describe("the tasks", () => {
  test("are different, and the same for a seed", async () => {
    const rows = [...(await rowsOf("train", 200)), ...(await rowsOf("eval", 200))];
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(400);
    expect(await rowsOf("eval", 5)).toEqual(rows.slice(200, 205));
    expect(rows.slice(0, 5).map(({ kind }) => kind)).toEqual(taskKinds);
  });

  test("each change a file, and have the answer in their files", async () => {
    for (const { kind, files, changes } of await rowsOf("train", 200)) {
      const texts = Object.values(changes).filter((text) => text !== null);
      expect(texts.length).toBeGreaterThan(0);
      if (kind === "find") expect(Object.keys(files)).toContain(texts[0]);
      if (kind === "rename" || kind === "archive")
        expect(Object.values(files)).toEqual(expect.arrayContaining(texts));
    }
  });

  test("have as a sum the total of the customer's invoices", async () => {
    const [row] = await rowsOf("eval", 1, { task: "sum", size: 20 });
    const [, customer] = /invoices of (.*?)\. Write/u.exec(row!.prompt)!;
    const amounts = Object.values(row!.files).flatMap((text) =>
      text.includes(`Customer: ${customer}\n`) ? [Number(/Amount: (.*)/u.exec(text)![1])] : [],
    );
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    expect(row!.changes).toEqual({ "total.txt": sum.toFixed(2) });
  });
});
