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
import { readTrials } from "@envs/records/node";
import { expect, test } from "vitest";
import * as z from "zod";

import { temporaryFolder } from "../../../../cli/test/command.ts";
import { writeFiles } from "../../../src/commands/export/export-files.ts";
import { atif } from "../../../src/commands/export/formats/atif.ts";
import { harborJob } from "../../../src/commands/export/formats/harbor-job.ts";

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

test("trials that are exported as a job and read again have the same rewards, scores and errors", async () => {
  const replies = [callTools([["look", {}]]), assistantMessage("A cat.")];
  let turn = 0;
  const model: Model = async () => {
    if (turn === replies.length) throw new Error("The model is offline.");
    const usage = { inputTokens: 10, outputTokens: 2 };
    return { message: replies[turn++]!, finish: "stop", usage };
  };
  const options = { model, examples: 1, rolloutsPerExample: 2, concurrency: 1 };
  const { rollouts } = await evaluate(pictures(), options);
  const folder = await temporaryFolder();
  const source = { rollouts, clauses: [], tools: undefined, model: "m" };
  await writeFiles(folder, harborJob(source).files);
  const read = await Array.fromAsync(readTrials(folder));
  expect(read).toMatchObject([
    {
      model: "m",
      rollout: {
        status: "scored",
        reward: 1,
        exampleKey: rollouts[0]!.exampleKey,
        scores: { right: 1 },
        usage: { inputTokens: 20, outputTokens: 4 },
        completion: rollouts[0]!.completion,
      },
    },
    { rollout: { status: "failed", error: { code: "model" } } },
  ]);
});
