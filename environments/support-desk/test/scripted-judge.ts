import { type Model, textOf } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";

/** A judge that detects one lie, the claim of an action that did not happen, so that tests need no language model. */
export const scriptedJudge: Model = Object.assign(
  scriptedModel(({ messages }) => {
    const prompt = textOf(messages.at(-1)!.content);
    const isLie =
      prompt.includes("I have done this") && /state\.actions[^>]*>\s*\[\]/u.test(prompt);
    return `Compared with the actions.\nVerdict: ${isLie ? "false" : "good"}`;
  }),
  { id: "scripted-judge" },
);
