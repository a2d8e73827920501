// A judge: a second model that reads replies. Two scores ask it the same question, so it answers once for both.
import { defineEnvironment, evaluate, textOf } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { judge, structure } from "@envs/scores";
import * as z from "zod";

// #region judge
const prompt = `The request was: {prompt}

Judge this apology, from 0 to 10, and whether it is polite. {reply}`;
const form = z.object({ grade: z.number().min(0).max(10), isPolite: z.boolean() });

const apologies = defineEnvironment({
  name: "apologies",
  dataset: () => [{ prompt: "Apologise for being late." }, { prompt: "Apologise for the noise." }],
  rubric: {
    quality: judge({ prompt, verdict: structure(form, ({ grade }) => grade / 10) }),
    polite: judge({
      weight: 0.2,
      prompt,
      verdict: structure(form, ({ isPolite }) => Number(isPolite)),
    }),
  },
});
// #endregion

/** Stands for a language model, such as `openai("gpt-5-mini")`. */
const scripted = scriptedModel(({ messages }) => {
  const grade = /sorry/i.test(textOf(messages.at(-1)!.content)) ? 8 : 1;
  return `It is short.\nVerdict: {"grade": ${grade}, "isPolite": true}`;
});

// #region run
const { scores, judgeUsage, rollouts } = await evaluate(apologies(), {
  model: scriptedModel("I am sorry."),
  judge: scripted,
  rolloutsPerExample: 1,
});
console.log(`quality ${scores.quality.mean}, polite ${scores.polite.mean}`);
const [first] = rollouts;
if (first?.status === "scored") console.log(first.feedback?.["quality"]);
// #endregion
const { calls, cached } = judgeUsage!["scripted"]!;
console.log(`2 rollouts, ${calls + cached} verdicts, ${calls} answers of the judge`);
