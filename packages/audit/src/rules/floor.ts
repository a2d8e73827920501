import { policy, random } from "@envs/core";

import { type Probe, tryProbes } from "../probe.ts";
import type { Rule } from "../rule.ts";
import { bestReplies, type Case, type Subject } from "../subject.ts";

const constants = ["yes", "no", "A", "0", "1", "\\boxed{0}", "<answer>yes</answer>"];
const words = "apple river seven because under window it the nine green was always to of".split(
  " ",
);

export const floor: Rule = {
  id: "floor",
  severity: "high",
  asks: "A player that does not try earns little.",
  decides:
    "Silence, constant replies, the most common best reply, random words and, where the environment lists choices, random choices play every example. Silence may earn 10% of the best mean reward; constants and random words 50%; the most common reply and random choices 75%. A mean must exceed its limit by 2.6 standard errors.",
  remedy:
    "Give nothing for a missing answer. Balance the labels of the dataset. Lower the weight of scores such as the format.",

  check: (subject) => tryProbes(subject, probesOf(subject)),
};

function probesOf({ environment, cases, seed }: Subject): readonly Probe[] {
  const common = mostCommon(cases);
  return [
    { variant: "silence", title: "Silence", reply: () => "", limit: 0.1 },
    ...constants.map((text) => ({
      variant: "constant",
      title: `The constant reply ${JSON.stringify(text)}`,
      reply: () => text,
    })),
    {
      variant: "common-reply",
      title: `The most common best reply, ${JSON.stringify(common?.slice(0, 80))},`,
      reply: () => common,
      limit: 0.75,
    },
    {
      variant: "random-text",
      title: "Random text",
      reply: ({ keyed }) => {
        const dice = random(seed, "floor", keyed.key);
        return Array.from({ length: 40 }, () => dice.pick(words)).join(" ");
      },
    },
    {
      variant: "random-choices",
      title: "Picking choices at random",
      reply: () =>
        environment.definition.game?.choices === undefined ? undefined : policy("random"),
      limit: 0.75,
    },
  ];
}

/** The best single reply of most examples, if there are several replies and examples of a single turn. */
function mostCommon(cases: readonly Case[]): string | undefined {
  const replies = cases.flatMap((one) => {
    const [only, ...more] = bestReplies(one);
    return only === undefined || only === "" || more.length > 0 ? [] : [only];
  });
  const counts = new Map<string, number>();
  for (const reply of replies) counts.set(reply, (counts.get(reply) ?? 0) + 1);
  if (counts.size < 2) return undefined;
  return [...counts].toSorted(([, left], [, right]) => right - left)[0]?.[0];
}
