import { scriptedModel } from "@envs/core/testing";

import { conversationOf } from "../conversation.ts";
import { inParallel } from "../in-parallel.ts";
import { play } from "../play.ts";
import { figure, noScale } from "../probe.ts";
import { counted, type Evidence, notTried, outcome, type Rule } from "../rule.ts";
import { bestReplies, mean, rewardIn } from "../subject.ts";

const changes: Readonly<Record<string, (reply: string) => string>> = {
  "line-breaks": (reply) => `\n\n${reply}\n`,
  "trailing-spaces": (reply) => `${reply}   `,
};

export const whitespace: Rule = {
  id: "whitespace",
  severity: "low",
  asks: "White space around a right reply does not cost the reward.",
  decides:
    "The best replies are played with line breaks around them and with spaces after them. A finding is a loss of more than 25% of the best mean reward. Letter case may matter: writing the best replies in capitals is a finding only if it earns more.",
  remedy: "Trim the reply before you compare it. Models often end with a line break.",

  async check(subject) {
    const { cases, scale } = subject;
    if (scale === undefined) return notTried(noScale(subject));
    const texts = cases.filter((one) => bestReplies(one).some((reply) => reply !== ""));
    if (texts.length === 0) return notTried("the best replies are tool calls without text");
    const evidence: Evidence[] = [];
    for (const [variant, change] of Object.entries(changes)) {
      const played = await inParallel(texts, async (one) => ({
        one,
        rollout: await play(subject, one.keyed, changed(one, change)),
      }));
      const before = mean(texts.map(({ best }) => rewardIn(best)));
      const after = mean(played.map(({ rollout }) => rewardIn(rollout)));
      if (before - after <= 0.25 * (scale.best - scale.zero)) continue;
      const { rollout, one } = played.toSorted(
        (left, right) => rewardIn(left.rollout) - rewardIn(right.rollout),
      )[0]!;
      evidence.push({
        variant,
        message: `The best replies with ${variant.replace("-", " ")} earn ${figure(after)} instead of ${figure(before)}`,
        conversations: [
          conversationOf(`with ${variant.replace("-", " ")}`, rollout),
          conversationOf("the best reply", one.best),
        ],
      });
    }
    for (const one of texts) {
      const rollout = await play(
        subject,
        one.keyed,
        changed(one, (reply) => reply.toUpperCase()),
      );
      if (rewardIn(rollout) <= rewardIn(one.best) + 1e-9) continue;
      evidence.push({
        variant: "capitals",
        message: `The best reply in capitals earns ${figure(rewardIn(rollout))} instead of ${figure(rewardIn(one.best))}`,
        conversations: [conversationOf("in capitals", rollout)],
      });
      break;
    }
    return outcome(`3 changes × ${counted(texts.length, "example")}`, evidence);
  },
};

function changed(one: Parameters<typeof bestReplies>[0], change: (reply: string) => string) {
  const messages = one.best.completion.filter((message) => message.role === "assistant");
  return scriptedModel(
    ...messages.map((message) =>
      message.content === ""
        ? message
        : Object.assign({}, message, { content: change(message.content) }),
    ),
  );
}
