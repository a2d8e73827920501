import {
  assistantMessage,
  callTools,
  defineEnvironment,
  evaluate,
  imagePart,
  type Model,
  userMessage,
} from "@envs/core";
import { readParsedRecord, type ReadRollout } from "@envs/records";
import { expect, test } from "vitest";
import * as z from "zod";

import { atif } from "../../../src/commands/export/formats/atif.ts";

const picture = "data:image/png;base64,iVBORw0KGgo=";

const pictures = defineEnvironment({
  name: "pictures",
  media: { kinds: ["image"] },
  dataset: () => [{ prompt: [userMessage([imagePart(picture), { type: "text", text: "What?" }])] }],
  tools: { look: { description: "Looks.", input: z.object({}), execute: () => "A cat." } },
  episode: { maxTurns: 3 },
  rubric: { right: ({ completion }) => Number(completion.length === 3) },
});

test("a trajectory that is exported and read again is the same rollout", async () => {
  const replies = [callTools([["look", {}]]), assistantMessage("A cat.")];
  let turn = 0;
  const model: Model = async () => ({
    message: replies[turn++]!,
    finish: "stop",
    usage: { inputTokens: 10, outputTokens: 2 },
    tokens: { promptIds: [1], completionIds: [2, 3], completionLogprobs: [-1, -2] },
  });
  const { rollouts } = await evaluate(pictures(), { model, examples: 1, rolloutsPerExample: 1 });
  const [rollout] = rollouts;
  const { files } = atif({ rollouts, clauses: [], tools: undefined, model: "m" });
  expect(files.map(({ path }) => path)).toEqual([
    "0-0.json",
    expect.stringMatching(/^media\/\w{64}\.png$/),
  ]);
  const trajectory = JSON.parse(String(files[0]!.text));
  const [{ rollout: read }] = readParsedRecord(trajectory) as [ReadRollout];
  expect(read).toMatchObject({
    status: "scored",
    reward: 1,
    scores: rollout!.status === "scored" ? rollout!.scores : {},
    exampleKey: rollout!.exampleKey,
    completion: rollout!.completion,
    usage: rollout!.usage,
  });
  expect(read.trajectory.map(({ tokens, usage }) => ({ tokens, usage }))).toEqual(
    rollout!.trajectory.map(({ tokens, usage }) => ({ tokens, usage })),
  );
});
