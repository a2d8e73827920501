import { defineEnvironment, evaluate } from "@envs/core";
import { llama } from "@envs/llama";

const sums = defineEnvironment({
  name: "sums",
  dataset: () => [1, 2, 3].map((n) => ({ prompt: `What is ${n} + ${n}?`, answer: `${n + n}` })),
  rubric: { right: ({ reply, example }) => (reply.includes(example.answer) ? 1 : 0) },
});

await using model = await llama(process.argv[2] ?? "SmolLM2-135M-Instruct.Q4_1.gguf", {
  sampling: { temperature: 0.2, maxTokens: 40 },
});
const { reward } = await evaluate(sums(), { model });
console.log(`${model.id}: reward ${reward.mean} over ${reward.count} rollouts`);
