// An environment with a tool. The engine describes it to the model, checks its arguments, runs it and returns the result.
import { callTools, defineEnvironment, evaluate, textOf } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import * as z from "zod";

// #region environment
const stock = { apples: 12, pears: 7, plums: 31 };
const fruits = z.enum(["apples", "pears", "plums"]);

const warehouse = defineEnvironment({
  name: "warehouse",
  systemPrompt: "Look it up, then answer with the number only.",

  dataset: () =>
    fruits.options.map((fruit) => ({
      prompt: `How many ${fruit} are there?`,
      answer: stock[fruit],
    })),

  setup: () => ({ lookedUp: Array.of<string>() }),

  // #region tools
  tools: {
    count: {
      description: "Counts a kind of fruit in the warehouse.",
      input: z.object({ fruit: fruits }),
      execute({ fruit }, { state }) {
        state.lookedUp.push(fruit);
        return { fruit, count: stock[fruit] };
      },
    },
  },
  // #endregion

  rubric: {
    correct: ({ reply, example }) => (reply.trim() === String(example.answer) ? 1 : 0),
    lookedUp: ({ state }) => state.lookedUp.length > 0,
  },
});
// #endregion

/** Calls the tool, first with invalid arguments, then answers with its result. */
const model = scriptedModel(
  callTools([["count", { fruit: "bananas" }]]),
  ({ messages }) => {
    const [, fruit] = /many (\w+)/.exec(textOf(messages[1]!.content))!;
    return callTools([["count", { fruit }]], 1);
  },
  ({ messages }) =>
    String((JSON.parse(textOf(messages.at(-1)!.content)) as { count: number }).count),
);

const { scores, tools, rollouts } = await evaluate(warehouse(), { model, rolloutsPerExample: 1 });
console.log(`correct ${scores.correct.mean}, looked up ${scores.lookedUp.mean}`);
console.log(`${tools["count"]?.calls} calls, ${tools["count"]?.errors} of them with an error`);
for (const { role, content } of rollouts[0]!.completion) console.log(`${role}: ${textOf(content)}`);
