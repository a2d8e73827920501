import { scriptedModel } from "@envs/core/testing";

import { conversationOf } from "../conversation.ts";
import { play, saying } from "../play.ts";
import { figure, noScale } from "../probe.ts";
import { counted, type Evidence, notTried, outcome, type Rule } from "../rule.ts";
import { bestReplies, rewardIn } from "../subject.ts";

const maxCases = 3;
const slow = 10_000;

const paddings: readonly (readonly [string, string])[] = [
  ["words", "word ".repeat(40_000)],
  ["open-tags", "<answer>".repeat(20_000)],
  ["open-braces", "\\boxed{".repeat(20_000)],
  ["spaces", `${" ".repeat(100_000)}x`],
];

export const longReply: Rule = {
  id: "long-reply",
  severity: "medium",
  asks: "A very long reply is scored quickly and earns no more.",
  decides:
    "100,000 and more characters are replied alone and below the best reply: words, tags and braces without an end, spaces. A finding is a reward above that of the best reply, above half of it and above that of silence for the padding alone, or a rollout that takes longer than 10 seconds.",
  remedy:
    "Do not reward length. Replace regular expressions that backtrack, such as `(a+)+$`, by parsers of @envs/core, which take linear time.",

  async check(subject) {
    const { cases, scale } = subject;
    if (scale === undefined) return notTried(noScale(subject));
    const tried = cases.slice(0, maxCases);
    const evidence: Evidence[] = [];
    for (const [name, padding] of paddings)
      for (const one of tried) {
        const padded = bestReplies(one).map((reply) => `${reply}\n${padding}`);
        const played = {
          alone: await play(subject, one.keyed, saying(padding)),
          below: await play(
            subject,
            one.keyed,
            scriptedModel(...(padded.length > 0 ? padded : [padding])),
          ),
        };
        for (const [place, rollout] of Object.entries(played)) {
          const half = scale.zero + (scale.best - scale.zero) / 2;
          // Skips examples where silence is right, because then padding is right too.
          const limit =
            place === "alone" ? Math.max(half, rewardIn(one.silence)) : rewardIn(one.best);
          const { setup, scoring } = rollout.timing;
          const time = scoring.end - setup.start;
          const problem =
            time > slow
              ? `took ${Math.round(time / 1000)} seconds`
              : rewardIn(rollout) > limit + 1e-9
                ? `earns ${figure(rewardIn(rollout))}, above ${figure(limit)}`
                : undefined;
          if (problem === undefined || evidence.some(({ variant }) => variant === name)) continue;
          const title = `${padding.length.toLocaleString("en")} characters (${name}) ${place === "alone" ? "alone" : "below the best reply"}`;
          evidence.push({
            variant: name,
            message: `A reply of ${title} ${problem}`,
            conversations: [conversationOf(title, rollout)],
          });
        }
      }
    return outcome(
      `${counted(paddings.length, "padding")} × ${counted(tried.length, "example")}`,
      evidence,
    );
  },
};
