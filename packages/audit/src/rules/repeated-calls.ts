import { assistantMessage, type AssistantMessage } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";

import { conversationOf } from "../conversation.ts";
import { inParallel } from "../in-parallel.ts";
import { play } from "../play.ts";
import { figure, noScale } from "../probe.ts";
import { counted, type Evidence, notTried, outcome, type Rule } from "../rule.ts";
import { type Case, rewardIn } from "../subject.ts";

const times = 5;

export const repeatedCalls: Rule = {
  id: "repeated-calls",
  severity: "high",
  asks: "Doing the same thing several times does not earn more.",
  decides:
    "The best rollouts are played with each tool call five times in its message, with each message sent five times, and with each text five times in one reply. A finding is a reward above that of the best rollout.",
  remedy: "Count distinct results, or score the final state. Cap sums.",

  async check(subject) {
    if (subject.scale === undefined) return notTried(noScale(subject));
    const repeated = subject.cases.flatMap((one) =>
      Object.entries(repetitions(one)).flatMap(([variant, messages]) =>
        messages.length === 0 ? [] : [{ one, variant, messages }],
      ),
    );
    const played = await inParallel(repeated, async ({ one, variant, messages }) => ({
      one,
      variant,
      rollout: await play(subject, one.keyed, scriptedModel(...messages)),
    }));
    const found = new Map<string, Evidence>();
    for (const { one, variant, rollout } of played) {
      if (found.has(variant) || rewardIn(rollout) <= rewardIn(one.best) + 1e-9) continue;
      found.set(variant, {
        variant,
        message: `Repeating ${variant} ${times} times earns ${figure(rewardIn(rollout))}, doing it once ${figure(rewardIn(one.best))}`,
        conversations: [
          conversationOf(`${variant}, ${times} times`, rollout),
          conversationOf("once", one.best),
        ],
      });
    }
    return outcome(`3 repetitions × ${counted(subject.cases.length, "example")}`, [
      ...found.values(),
    ]);
  },
};

function repetitions({ best }: Case): Readonly<Record<string, readonly AssistantMessage[]>> {
  const messages = best.completion.filter((message) => message.role === "assistant");
  const hasCalls = messages.some(({ tool_calls: calls = [] }) => calls.length > 0);
  return {
    calls: hasCalls ? messages.map(withRepeatedCalls) : [],
    messages:
      messages.length > 1
        ? messages.flatMap((message) => Array<AssistantMessage>(times).fill(message))
        : [],
    texts: hasCalls
      ? []
      : messages.map(({ content }) => assistantMessage(`${content}\n`.repeat(times))),
  };
}

function withRepeatedCalls({
  tool_calls: calls = [],
  ...message
}: AssistantMessage): AssistantMessage {
  if (calls.length === 0) return message;
  const repeated = calls.flatMap((call) =>
    Array.from({ length: times }, (_, copy) => ({ ...call, id: `${call.id}_${copy}` })),
  );
  return { ...message, tool_calls: repeated };
}
