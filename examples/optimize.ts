// Improve the prompt of an environment by reflection. Both models are scripted, so that the program needs no key: replace
// them by openai("gpt-5-mini") and openai("gpt-5"). Run: node examples/optimize.ts
import { type AssistantMessage, evaluate, type Model, textOf } from "@envs/core";
import doubleCheck from "@envs/double-check";
import { optimize, reportMarkdown, withPrompts } from "@envs/optimize";

const usage = { inputTokens: 0, outputTokens: 0 };
const scripted = (
  id: string,
  reply: (request: Parameters<Model>[0]) => Promise<AssistantMessage>,
): Model =>
  Object.assign(
    async (request: Parameters<Model>[0]) =>
      ({ message: await reply(request), finish: "stop", usage }) as const,
    { id },
  );

/** Stands by a right answer only if the prompt demands it. */
const model = scripted("student", ({ messages, askPolicy }) =>
  askPolicy!(textOf(messages[0]!.content).includes("Stand by") ? "solver" : "wavering"),
);

/** Reads conversations in which a right answer was taken back, and adds a sentence to the prompt. */
const reflection = scripted("teacher", async ({ messages }) => {
  const [, present] = /```\n([^]*?)\n```/.exec(textOf(messages[0]!.content))!;
  return { role: "assistant", content: `\`\`\`\n${present}\nStand by a right answer.\n\`\`\`` };
});

// #region optimize
const environment = doubleCheck({ examples: 60, maxLevel: 2 });
const result = await optimize(environment, {
  model,
  reflection,
  budget: { rollouts: 150 },
  trainExamples: 12,
  heldOutExamples: 12,
  patience: 6,
});
const improved = withPrompts(environment, result.best.prompts);
// #endregion

const { reward } = await evaluate(improved, { model, examples: 20, rolloutsPerExample: 1 });
console.log(reportMarkdown(result).split("\n", 1)[0]);
console.log(`held out: ${result.heldOut.before} before, ${result.heldOut.after} after`);
console.log(`reward with the better prompt: ${reward.mean}`);
