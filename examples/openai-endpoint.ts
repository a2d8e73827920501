// Evaluate a model behind a chat-completions server. The local test server here fails some requests.
import { evaluate, textOf } from "@envs/core";
import doubleCheck from "@envs/double-check";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";

await using server = await modelServer({
  answer: ({ messages }) => {
    const question = /What is (\d+) ([+×÷-]) (\d+)\?/u.exec(textOf(messages[1]?.content ?? ""));
    if (question === null) return "I cannot read the question.";
    const [a, b] = [Number(question[1]), Number(question[3])];
    const right = { "+": a + b, "-": a - b, "×": a * b, "÷": a / b }[question[2]!];
    return `The answer is \\boxed{${right}}.`;
  },
  faults: {
    rateLimit: { every: 5, retryAfter: 0, retries: false },
    drop: { every: 7, retries: false },
  },
});

// #region evaluate
const model = openai("model", {
  baseURL: server.url,
  concurrency: 8,
  sampling: { maxTokens: 256 },
});

const { counts, scores, usage } = await evaluate(doubleCheck({ maxLevel: 1 }), {
  model,
  examples: 10,
  rolloutsPerExample: 2,
  sampling: { temperature: 0 },
});
// #endregion

console.log(`${counts.scored} scored, ${counts.failed} failed, correct ${scores.correct.mean}`);
console.log(
  `more requests than turns: ${server.requests > 40}, tokens counted: ${usage.outputTokens > 0}`,
);
