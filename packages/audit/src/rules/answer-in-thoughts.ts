import type { AssistantMessage, Model } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";

import { withoutThoughts } from "../forms.ts";
import { tryProbes } from "../probe.ts";
import type { Rule } from "../rule.ts";
import { bestReplies, type Case, rewardIn } from "../subject.ts";

export const answerInThoughts: Rule = {
  id: "answer-in-thoughts",
  severity: "medium",
  asks: "An answer counts in the reply, not in the thoughts.",
  decides:
    "The best replies are played inside of `<think>` tags with “I am done.” after them, and as `reasoning_content` with an empty reply. A finding is a mean reward above 50% of the best: the thoughts of a model try several answers, and one of them is often right.",
  remedy: "Remove the thoughts before you read the answer: `thinkParser()` of @envs/core.",

  check: (subject) =>
    tryProbes(subject, [
      {
        variant: "tags",
        title: "The answer inside of <think> tags",
        reply: (one) =>
          scripted(one, (reply) => ({
            role: "assistant",
            content: `<think>\n${reply}\n</think>\nI am done.`,
          })),
      },
      {
        variant: "reasoning",
        title: "The answer in the reasoning, with an empty reply,",
        reply: (one) =>
          scripted(one, (reply) => ({ role: "assistant", content: "", reasoning_content: reply })),
      },
    ]),
};

type Wrap = (reply: string) => AssistantMessage;

/** A script for a rollout without tool calls, which cannot be thoughts. */
function scripted(one: Case, wrap: Wrap): Model | undefined {
  const calls = one.best.completion.some(
    (message) => message.role === "assistant" && message.tool_calls !== undefined,
  );
  const replies = bestReplies(one);
  // Skips examples where silence is right, because then every reply without a call is right.
  if (rewardIn(one.silence) > rewardIn(one.best) / 2) return undefined;
  if (calls || replies.length === 0) return undefined;
  return scriptedModel(...replies.map((reply) => wrap(withoutThoughts(reply))));
}
