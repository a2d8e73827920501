import { defineEnvironment, evaluate, policy } from "@envs/core";

const addition = defineEnvironment({
  name: "addition",

  *dataset({ random }) {
    for (;;) {
      const [a, b] = [random.int(100), random.int(100)];
      yield { prompt: `What is ${a} + ${b}? Answer with the number only.`, answer: `${a + b}` };
    }
  },

  rubric: {
    exact: ({ reply, example }) => (reply.trim() === example.answer ? 1 : 0),
  },

  metrics: { length: ({ reply }) => reply.length },

  policies: { calculator: ({ example }) => example.answer },
});

const { reward, scores } = await evaluate(addition(), { model: policy("calculator") });
console.log(`reward ${reward.mean} over ${reward.count} rollouts`);
console.log(`exact ${scores.exact.mean}, length ${scores.length.max} at most`);
