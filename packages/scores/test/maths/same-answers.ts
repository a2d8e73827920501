import { boxedParser, defineEnvironment } from "@envs/core";
import { sameMath } from "@envs/scores/maths";

const boxed = boxedParser();

export default defineEnvironment({
  name: "halves",
  dataset: () => [{ prompt: "What is 1/4 + 1/4? Answer in \\boxed{...}.", answer: "0.5" }],
  rubric: {
    correct: ({ reply, example, signal }) =>
      sameMath(boxed.parse(reply) ?? "", example.answer, { signal }),
  },
});
