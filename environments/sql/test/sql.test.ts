import { assistantMessage, evaluate, type InferExample, policy, random } from "@envs/core";
import { episode, examples } from "@envs/core/engine";
import type { Sandbox } from "@envs/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { writeAnswer } from "../src/answer.ts";
import { gradeIn, provider } from "../src/database.ts";
import sql from "../src/index.ts";
import { sameRows } from "../src/same-rows.ts";
import { script, type Split, type Task, tasks } from "../src/tasks.ts";

type Row = InferExample<typeof sql>;

let box: Sandbox;

beforeAll(async () => {
  box = await provider.create({ limits: { ms: 300, memory: 64 * 1024 ** 2 } });
});

afterAll(() => box[Symbol.asyncDispose]());

const gradeQuery = (example: Row, query: string) =>
  gradeIn(box, example, query, { isQuery: true, signal: new AbortController().signal });

async function rowOf(kind: string): Promise<Row> {
  for await (const { example } of examples(sql(), { split: "eval" }))
    if (example.kind === kind) return example;
  throw new Error(`No question of the kind ${kind}.`);
}

/** Plays queries of the tool, then a reply. */
async function play(example: Row, queries: readonly string[], reply: string, config = {}) {
  const game = episode(sql(config), example);
  try {
    await game.start();
    const results: unknown[] = [];
    for (const query of queries) {
      const call = { name: "query", arguments: JSON.stringify({ sql: query }) };
      const { messages } = await game.step({
        ...assistantMessage(""),
        tool_calls: [{ id: `call_${game.turns}`, type: "function", function: call }],
      });
      results.push(messages[0]?.content);
    }
    await game.step(assistantMessage(reply));
    return { results, ...(await game.score()) };
  } finally {
    await game.close();
  }
}

test.each([
  ["query", "oracle", 1, 1],
  ["query", "hardcode", 0, 1],
  ["rows", "oracle", 1, 1],
  ["rows", "lazy", 0, 0],
] as const)(
  "with answers of the kind %s, gives the policy %s the reward %d",
  async (answer, name, reward, visible) => {
    const result = await evaluate(sql({ answer }), {
      model: policy(name),
      examples: 2,
      rolloutsPerExample: 1,
    });
    expect([result.reward.mean, result.scores.visible.mean]).toEqual([reward, visible]);
  },
);

describe("a question", () => {
  test("is asked once, in one of the splits, for any seed", () => {
    const take = (split: Split, seed: string): Task[] =>
      tasks(split, { random: random(seed), showSchema: false })
        .take(500)
        .toArray();
    const [train, others] = [take("train", "a"), take("eval", "b")];
    const prompts = [...train, ...others].map(({ prompt }) => prompt);
    expect(new Set(prompts).size).toBe(1000);
    expect(new Set(others.slice(0, 200).map(({ kind }) => kind)).size).toBe(24);
    expect(take("train", "a")).toEqual(train);
  });

  test("has variants with other rows", async () => {
    const example = await rowOf("ordersOfStatus");
    const scripts = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((variant) => script(example, variant));
    expect(new Set(scripts).size).toBe(9);
    expect(script(example, 0)).toBe(scripts[0]);
  });
});

describe("the tool", () => {
  test("describes results that are empty, cut or wrong", async () => {
    const { results } = await play(
      await rowOf("bestCustomers"),
      [
        "SELECT name FROM sqlite_schema ORDER BY name LIMIT 2",
        "SELECT id FROM customers WHERE id < 0",
        "SELECT a.id FROM orders a, orders b, orders c",
        "SELECT nope FROM customers",
        "DELETE FROM customers",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
      ],
      "Done.",
    );
    expect(results[0]).toBe("name\ncustomers\norder_items");
    expect(results[1]).toBe("id\n(No rows.)");
    expect(results[2]).toMatch(/\n\(The rows are cut after 4000 bytes\.\)$/u);
    expect(results.slice(3)).toEqual([
      "Error: no such column: nope",
      "Error: not authorized",
      "Error: The run exceeded its limit of 2000 ms of CPU time.",
    ]);
  });
});

describe("an answer", () => {
  test.each([
    ["a query", (query: string) => writeAnswer(query), 1],
    [
      "a query with a fence and a semicolon",
      (query) => writeAnswer(`\`\`\`sql\n${query};\n\`\`\``),
      1,
    ],
    ["other names of columns", (query) => writeAnswer(`SELECT * FROM (${query})`), 1],
    ["no tags", (query) => query, 0],
    ["only in the thinking", (query) => `<think>${writeAnswer(query)}</think> I do not know.`, 0],
    [
      "the right one first, then another",
      (query) => `${writeAnswer(query)} ${writeAnswer("SELECT 1")}`,
      0,
    ],
    ["an extra column", (query) => writeAnswer(`SELECT *, 1 FROM (${query})`), 0],
    [
      "every row twice",
      (query) => writeAnswer(`SELECT * FROM (${query}) UNION ALL SELECT * FROM (${query})`),
      0,
    ],
  ] as readonly (readonly [string, (query: string) => string, number])[])(
    "%s gets the right reward",
    async (_, reply, reward) => {
      const example = await rowOf("revenueOfCategories");
      expect((await play(example, [], reply(example.query))).reward).toBe(reward);
    },
  );

  test("needs the right order if the question requires one", async () => {
    const example = await rowOf("customersOfCity");
    const reversed = `SELECT * FROM (${example.query}) ORDER BY 1 DESC`;
    expect((await play(example, [], writeAnswer(reversed))).reward).toBe(0);
    const table = { columns: ["a"], rows: [[1], [2]] };
    const turned = { columns: ["b"], rows: [[2], [1.0000000000000002]] };
    expect([sameRows(table, turned, true), sameRows(table, turned, false)]).toEqual([false, true]);
    expect(sameRows(table, { columns: ["a"], rows: [["1"], [2]] }, false)).toBe(false);
  });
});

const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";

describe("a cheat", () => {
  test.each([
    ["hard-codes the rows that it saw", "VALUES (1)"],
    [
      "recognises the database that it saw",
      "SELECT CASE (SELECT count(*) FROM orders) WHEN 1 THEN 2 END",
    ],
    ["drops the tables", "DROP TABLE orders"],
    ["empties the tables", "DELETE FROM orders"],
    ["replaces a table", "CREATE TEMP TABLE orders AS SELECT 1"],
    ["writes the schema", "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = ''"],
    ["attaches a database", "ATTACH ':memory:' AS other"],
    ["reads a file of the grader", "SELECT readfile('src/tasks.ts')"],
    ["loads an extension", "SELECT load_extension('grader')"],
    ["runs without an end", `${endless} SELECT count(*) FROM n`],
    ["returns rows without an end", `${endless} SELECT i FROM n`],
    ["returns a huge value", "SELECT hex(randomblob(900000000))"],
    ["returns nothing", "SELECT 1 WHERE 0"],
    ["returns no rows at all", "-- right"],
    ["hides code behind a NUL character", "\0"],
    ["guesses at random", "SELECT abs(random()) % 30"],
  ])("that %s gets nothing", async (_, query) => {
    const example = await rowOf("ordersOfStatus");
    expect(await gradeQuery(example, query)).toMatchObject({ correct: false });
  });

  test("that writes before the right query gets nothing, and the queries of a rollout leave no trace", async () => {
    const example = await rowOf("ordersOfStatus");
    const writes = [
      "DELETE FROM orders",
      "CREATE VIEW orders2 AS SELECT 1",
      "PRAGMA foreign_keys = 0",
    ];
    for (const write of writes)
      expect(await gradeQuery(example, `${write}; ${example.query}`)).toMatchObject({
        runs: false,
        correct: false,
      });
    const { reward } = await play(example, writes, writeAnswer(example.query));
    expect(reward).toBe(1);
  });
});
