import { defineEnvironment, evaluate } from "@envs/core";
import { openai } from "@envs/models";

const capitals = defineEnvironment({
  name: "capitals",
  systemPrompt: "Answer with one word.",
  dataset: () => [
    { prompt: "What is the capital of France?", answer: "Paris" },
    { prompt: "What is the capital of Japan?", answer: "Tokyo" },
    { prompt: "What is the capital of Kenya?", answer: "Nairobi" },
  ],
  rubric: { correct: ({ reply, example }) => (reply === example.answer ? 1 : 0) },
});

const { reward } = await evaluate(capitals(), { model: openai("gpt-5-mini") });
console.log(`mean reward ${reward.mean} over ${reward.count} rollouts`);
