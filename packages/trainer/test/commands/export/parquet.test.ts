import {
  assistantMessage,
  defineEnvironment,
  type Environment,
  evaluate,
  imagePart,
  type Model,
  policy,
  type RolloutsOptions,
  userMessage,
} from "@envs/core";
import kuhnPoker from "@envs/kuhn-poker";
import reverseText from "@envs/reverse-text";
import toolUse from "@envs/tool-use";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";

import { parquet } from "../../../src/commands/export/formats/parquet.ts";

async function exported(environment: Environment, options: Partial<RolloutsOptions> = {}) {
  const { rollouts } = await evaluate(environment, {
    model: policy("random"),
    examples: 2,
    rolloutsPerExample: 1,
    ...options,
  });
  const source = { rollouts, clauses: [], tools: undefined, model: "policy", name: "run-1" };
  const file = parquet(source, { seats: true }).files[0]!.text;
  const bytes = file.buffer as ArrayBuffer;
  return { schema: parquetMetadata(bytes).schema, rows: await parquetReadObjects({ file: bytes }) };
}

test("writes runs of different environments with one schema", async () => {
  const seats = { player0: policy("honest"), player1: policy("careless") };
  const runs = [
    await exported(kuhnPoker({ examples: 2 }), { model: seats as never }),
    await exported(reverseText() as never, { model: policy("perfect") }),
    await exported(toolUse() as never, { model: policy("oracle") }),
  ];
  for (const { schema } of runs) expect(schema).toEqual(runs[0]!.schema);
  const rows = runs.flatMap((run) => run.rows);
  expect(rows.map(({ environment, seat }) => `${environment} ${seat}`)).toEqual([
    "kuhn-poker player0",
    "kuhn-poker player1",
    "kuhn-poker player0",
    "kuhn-poker player1",
    "reverse-text null",
    "reverse-text null",
    "tool-use null",
    "tool-use null",
  ]);
});

test("writes content as parts, scores by name, and failures without a reward", async () => {
  const url = "https://example.com/cat.png";
  const pictures = defineEnvironment({
    name: "pictures",
    media: { kinds: ["image"] },
    dataset: () => [{ prompt: [userMessage([imagePart(url), { type: "text", text: "What?" }])] }],
    episode: { maxTurns: 2 },
    respond({ turns }) {
      throw new Error(`no camera in turn ${turns}`);
    },
    rubric: { seen: () => 1 },
  });
  const model: Model = async () => ({ message: assistantMessage("A cat."), finish: "stop" });
  const [failed] = (await exported(pictures() as never, { model })).rows;
  const part = { text: null, url: null, filename: null };
  expect(failed).toMatchObject({
    status: "failed",
    error_code: "environment",
    reward: null,
    scores: [],
    input_tokens: null,
    prompt: [
      {
        role: "user",
        content: [
          { ...part, type: "image_url", url },
          { ...part, type: "text", text: "What?" },
        ],
      },
    ],
    completion: [{ role: "assistant", content: [{ ...part, type: "text", text: "A cat." }] }],
  });
  const { rows } = await exported(toolUse() as never, { model: policy("oracle"), examples: 1 });
  expect(rows[0]).toMatchObject({
    reward: 1,
    scores: expect.arrayContaining([{ key: "calls", value: 1 }]) as unknown,
    completion: expect.arrayContaining([
      expect.objectContaining({
        tool_calls: [expect.objectContaining({ name: "create_event" })],
      }),
    ]) as unknown,
  });
});
