// A tiny language model learns to name the larger of two numbers: the format from a random teacher, the answer from rewards.
import { defineEnvironment, type Message, policy, rollouts, textOf } from "@envs/core";
import { shapeFor, TinyModel, trainTokenizer, untrained } from "@envs/tiny-model";
import { tinyBackend, train, trainingPlan } from "@envs/trainer";

const larger = defineEnvironment({
  name: "larger",
  *dataset() {
    for (let a = 0; a < 10; a += 1)
      for (let b = 0; b < 10; b += 1) if (a !== b) yield { prompt: `${a} or ${b}?`, pair: [a, b] };
  },
  rubric: { right: ({ reply, example }) => Number(reply === `${Math.max(...example.pair)}`) },
  policies: {
    right: ({ example }) => `${Math.max(...example.pair)}`,
    either: ({ example, random }) => `${random.pick(example.pair)}`,
  },
});

const chats: Message[][] = [];
for await (const { prompt, completion } of rollouts(larger(), {
  model: policy("either"),
  examples: 90,
}))
  chats.push([...prompt, ...completion]);

const words = chats.flat().map(({ content }) => textOf(content));
const tokenizer = trainTokenizer(words, { vocabularySize: 64, pieces: "words" });
const shape = shapeFor(tokenizer, { width: 32, layers: 2, heads: 4, hidden: 128, context: 32 });
const backend = tinyBackend(await TinyModel.start("larger", untrained(shape, tokenizer, 0)));

const optimizer = { learningRate: 3e-3 };
const plan = trainingPlan.parse({
  phases: {
    sft: { kind: "sft", data: { policy: "either", examples: 90 }, epochs: 40, optimizer },
    rl: { kind: "rl", steps: 100, sources: [{ groups: 16 }], rolloutsPerExample: 8, optimizer },
  },
  stages: [{ name: "all pairs", examples: 90, rolloutsPerExample: 4 }],
});
for await (const event of train({ factory: larger, backend, plan, chats: async () => chats })) {
  if (event.type !== "evaluation") continue;
  const stage = event.step === 0 ? "before" : `after ${event.phase}`;
  for (const { summary } of event.results)
    console.log(`${stage}: ${Math.round(100 * (summary.reward.mean ?? 0))} % right`);
}
await backend.close();
