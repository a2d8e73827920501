import { scriptedModel } from "@envs/core/testing";

import { conversationOf } from "../conversation.ts";
import { withoutThoughts } from "../forms.ts";
import { inParallel } from "../in-parallel.ts";
import { play, saying } from "../play.ts";
import { figure, noScale } from "../probe.ts";
import { counted, type Evidence, notTried, outcome, type Rule } from "../rule.ts";
import { bestReplies, mean, rewardIn, type Scale, type Subject } from "../subject.ts";

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
    "100,000 and more characters are replied alone and below the best reply: words, tags and braces without an end, spaces. A finding is a reward above that of the best reply, above half of it and above that of silence for the padding alone, or a rollout that takes longer than 10 seconds. So that a best reply that is long already hides nothing, words are also added above and below shorter replies: a single letter, the first half of the best reply, and its form with the answer alone. A finding is a mean reward that the words raise by 5% of the best.",
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
    if (evidence.length === 0) evidence.push(...(await tryShorterReplies({ ...subject, scale })));
    return outcome(
      `${counted(paddings.length, "padding")} × ${counted(tried.length, "example")}`,
      evidence,
    );
  },
};

/** Replies that are shorter than the best. Words around them must not change what they earn. */
const shorter: Readonly<Record<string, (reply: string) => string>> = {
  "a single letter": () => "x",
  "the first half of the best reply": (reply) => reply.slice(0, reply.length / 2),
  "the form of the best reply with its answer alone": formWithAnswer,
};

/** The smallest share of the best reward that the length of a reply may add. */
const minGain = 0.05;

async function tryShorterReplies(
  subject: Subject & { readonly scale: Scale },
): Promise<readonly Evidence[]> {
  const { cases, scale } = subject;
  const texts = cases.filter((one) => bestReplies(one).some((reply) => reply !== ""));
  for (const [title, shorten] of Object.entries(shorter)) {
    const gains = await inParallel(texts, async (one) => {
      const replies = bestReplies(one).map(shorten);
      // Some scores read the beginning of a reply, and others its end.
      const [alone, above, below] = await Promise.all(
        [(reply: string) => reply, lengthened.above, lengthened.below].map((lengthen) =>
          play(subject, one.keyed, scriptedModel(...replies.map(lengthen))),
        ),
      );
      const longest = rewardIn(above!) > rewardIn(below!) ? above! : below!;
      return { alone: alone!, longest, gain: rewardIn(longest) - rewardIn(alone!) };
    });
    const rise = mean(gains.map(({ gain }) => gain));
    if (!(rise > minGain * (scale.best - scale.zero))) continue;
    const [most] = gains.toSorted((left, right) => right.gain - left.gain);
    return [
      {
        variant: "shorter",
        message: `${title[0]!.toUpperCase()}${title.slice(1)} earns ${figure(mean(gains.map(({ alone }) => rewardIn(alone))))}, and ${figure(mean(gains.map(({ longest }) => rewardIn(longest))))} with ${words.length.toLocaleString("en")} more characters`,
        conversations: [
          conversationOf(title, most!.alone),
          conversationOf(`${title}, with words above or below`, most!.longest),
        ],
      },
    ];
  }
  return [];
}

const words = "word ".repeat(4000);
const lengthened = {
  above: (reply: string) => `${words}\n${reply}`,
  below: (reply: string) => `${reply}\n${words}`,
};

/** Removes what is outside of the form of a reply, such as reasoning before a box. */
function formWithAnswer(reply: string): string {
  const form = /<([a-z][\w-]*)>[^<>]*<\/\1>|\\boxed\{[^{}]*\}|```\w*\n[\s\S]*?\n```/giu;
  return [...withoutThoughts(reply).matchAll(form)].at(-1)?.[0] ?? reply.trim().split("\n").at(-1)!;
}
