/** Makes `model.safetensors`: a language model trained on games of random players who mostly ignore the reply format. */
import { writeFile } from "node:fs/promises";

import {
  assistantMessage,
  type Message,
  type Model,
  policy,
  random,
  type Rollout,
  rollouts,
  textOf,
} from "@envs/core";
import tictactoe from "@envs/tictactoe";
import { shapeFor, TinyModel, trainTokenizer, untrained, writeCheckpoint } from "@envs/tiny-model";
import { tinyBackend, train, trainingPlan } from "@envs/trainer";

import { babble } from "./babble.ts";

/** A model that plays random moves in mostly wrong formats, so that the games contain the environment's corrections. */
const babbler: Model = async ({ askPolicy, seed: turn = 0 }) => {
  const dice = random("babble", turn);
  const { content } = await askPolicy!("random");
  const move = /<move>(\d)/u.exec(content)?.[1] ?? "";
  return { message: assistantMessage(babble(move, dice)), finish: "stop" };
};

const seed = 0;
const size = { width: 64, layers: 2, heads: 4, hidden: 256, context: 256 };
const vocabularySize = 320;

const chats = await play(babbler, 4000);
// The tokenizer also learns from better players, so that it can encode what a student of this model will learn.
const texts = [...chats, ...(await play(policy("careless"), 4000))].flat();
const tokenizer = trainTokenizer(
  texts.map(({ content }) => textOf(content)),
  { vocabularySize },
);

const model = await TinyModel.start(
  "tiny-base",
  untrained(shapeFor(tokenizer, size), tokenizer, seed),
  { threads: 2 },
);
const backend = tinyBackend(model);
const plan = trainingPlan.parse({
  seed,
  phases: {
    read: {
      kind: "sft",
      data: { file: "generated above" },
      epochs: 2,
      optimizer: { learningRate: 3e-3 },
      schedule: { annealFrom: 0.5 },
    },
  },
});
for await (const event of train({ factory: tictactoe, backend, plan, chats: async () => chats }))
  if (event.type === "step" && event.step % 50 === 0)
    console.log(
      `step ${event.step} of ${event.steps}, loss ${event.report.values["loss"]?.toFixed(3)}`,
    );

const bytes = writeCheckpoint(await model.checkpoint(), { withOptimizer: false });
await writeFile(new URL("../model.safetensors", import.meta.url), bytes);
await backend.close();
console.log(`${tokenizer.vocabularySize} tokens, ${(bytes.length / 1e6).toFixed(2)} MB`);

async function play(model: Model, examples: number): Promise<Message[][]> {
  const played: Rollout[] = [];
  for await (const rollout of rollouts(tictactoe({ examples }), {
    model,
    examples,
    rolloutsPerExample: 1,
    concurrency: 256,
    seed,
  }))
    played.push(rollout);
  played.sort((a, b) => a.exampleIndex - b.exampleIndex);
  return played.map(({ prompt, completion }) => prompt.concat(completion));
}
