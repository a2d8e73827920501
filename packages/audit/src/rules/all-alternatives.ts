import type { AssistantMessage, Model, ToolCall } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";

import { contentOf, inFormOf } from "../forms.ts";
import { type Probe, tryProbes } from "../probe.ts";
import { notTried, type Rule } from "../rule.ts";
import type { Case, Subject } from "../subject.ts";

const maxAlternatives = 32;

export const allAlternatives: Rule = {
  id: "all-alternatives",
  severity: "high",
  asks: "One reply that lists the answers of all examples earns little.",
  decides:
    "The best replies of all tried examples become one reply, which is the same for each example: the replies one below the other, their answers in one form, all of their tool calls in one message. A finding is a mean reward above 50% of the best, and above one and a half times the share of one guess.",
  remedy: "Reject a reply with several answers, or let one position count, such as the last.",

  async check(subject) {
    const replies = distinct(subject);
    if (replies.length < 2) return notTried("the tried examples have one best reply");
    const limit = Math.max(0.5, 1.5 / replies.length);
    return tryProbes(subject, probesOf(subject, { replies, limit }));
  },
};

function probesOf(
  subject: Subject,
  { replies, limit }: { readonly replies: readonly string[]; readonly limit: number },
): readonly Probe[] {
  const answers = replies.map(contentOf);
  const joined = (separator: string): string => inFormOf(replies[0]!, answers.join(separator));
  const calls = callsOf(subject.cases);
  const isText = replies.some((reply) => reply !== "");
  const texts: readonly (readonly [string, string, string])[] = [
    ["replies", "All answers one below the other", replies.join("\n")],
    ["comma-list", "All answers with commas in one form", joined(", ")],
    ["or-list", "All answers with “or” in one form", joined(" or ")],
  ];
  return [
    ...texts.map(([variant, title, text]) => ({
      variant,
      title,
      limit,
      reply: () => (isText ? text : undefined),
    })),
    {
      variant: "tool-calls",
      limit,
      title: "The tool calls of all examples in one message",
      reply: () => (calls.length < 2 ? undefined : calling(calls)),
    },
  ];
}

function distinct({ cases }: Subject): readonly string[] {
  const replies = cases.map(({ best }) => JSON.stringify(firstOf(best.completion)));
  return [...new Set(replies)]
    .slice(0, maxAlternatives)
    .map((text) => (JSON.parse(text) as AssistantMessage).content);
}

function firstOf(completion: Case["best"]["completion"]): AssistantMessage {
  const [first] = completion;
  return first?.role === "assistant" ? first : { role: "assistant", content: "" };
}

/** The tool calls in the first messages of the best policies, without duplicates. */
function callsOf(cases: readonly Case[]): readonly ToolCall[] {
  const calls = new Map<string, ToolCall>();
  for (const { best } of cases)
    for (const call of firstOf(best.completion).tool_calls ?? [])
      calls.set(JSON.stringify(call.function), call);
  return [...calls.values()]
    .slice(0, maxAlternatives)
    .map((call, index) => ({ id: `call_${index}`, type: call.type, function: call.function }));
}

function calling(calls: readonly ToolCall[]): Model {
  return scriptedModel({ role: "assistant", content: "", tool_calls: calls }, "Done.");
}
