import { type Message, type Rollout, textOf } from "@envs/core";

import { formatPercent } from "./format-estimate.ts";
import { answerOf, contentOf } from "./reply-form.ts";
import { repliesIn, type ReplyPlays } from "./reply-plays.ts";

/** What precedes an answer that is given away: a word for it, or the end of the question. */
const lead =
  /(?:\b(?:answer|solution|correct|label|target|gold|expected|secret|key|truth|reference|result|output)\b\W{0,3}(?:is|was|are)?|\?)[^\p{L}\p{N}]{0,12}/u
    .source;

/** The share of examples that must show their answer, and the share at which they show answers of other examples. */
const [minShown, maxOthers] = [0.8, 0.3];

/** Finds answers in the prompt, and in the environment's reaction to a wrong reply. */
export function findLeak({ first, wrong, form }: ReplyPlays): string | undefined {
  const answers = new Map(
    first.map((rollout) => [
      rollout.exampleKey,
      answerOf(contentOf(repliesIn(rollout).at(-1) ?? "", form)),
    ]),
  );
  const prompts = first.map((rollout) => ({ rollout, text: textsOf(rollout.prompt) }));
  const inPrompt = shownIn(prompts, answers, (answer) => `${lead}${answer}`);
  if (inPrompt !== undefined)
    return `the prompt shows the answer of ${formatPercent(inPrompt)} of the examples after a word such as “answer” or after the question, so a model can copy it. Move it into a field of the example that only scores see`;
  // Other wrong replies may be legal moves, after which the answer is another one.
  const reactions = (wrong.get("replies of one letter") ?? [])
    .filter(({ trajectory }) => trajectory.length > 1)
    .map((rollout) => ({
      rollout,
      text: textsOf(rollout.completion.filter(({ role }) => role !== "assistant")),
    }));
  const inReaction = shownIn(reactions, answers, (answer) => `(?<![\\p{L}\\p{N}])${answer}`);
  if (inReaction === undefined) return undefined;
  return `the reaction to a wrong reply shows the answer of ${formatPercent(inReaction)} of the examples, so a model can reply anything and then copy it. Report only that the reply is wrong`;
}

/** The share of texts that show their answer, if few show that of another example. */
function shownIn(
  texts: readonly { readonly rollout: Rollout; readonly text: string }[],
  answers: ReadonlyMap<string, string>,
  pattern: (answer: string) => string,
): number | undefined {
  const all = [...new Set(answers.values())];
  if (texts.length < 8 || all.length < 2) return undefined;
  const shows = (text: string, answer: string): boolean =>
    answer !== "" &&
    new RegExp(
      `${pattern(answer.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))}(?![\\p{L}\\p{N}])`,
      "iu",
    ).test(text);
  let [own, others] = [0, 0];
  for (const [index, { rollout, text }] of texts.entries()) {
    const answer = answers.get(rollout.exampleKey) ?? "";
    own += Number(shows(text, answer));
    const foreign = all[index % all.length]!;
    others += Number(foreign !== answer && shows(text, foreign));
  }
  const share = own / texts.length;
  return share >= minShown && others / texts.length <= maxOthers ? share : undefined;
}

function textsOf(messages: readonly Message[]): string {
  return messages.map(({ content }) => textOf(content)).join("\n");
}
