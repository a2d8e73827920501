import { type AssistantMessage, callTools } from "@envs/core";
import { episode, type ToolSpec } from "@envs/core/engine";
import { scriptedModel } from "@envs/core/testing";

import { conversationOf } from "../conversation.ts";
import { inParallel } from "../in-parallel.ts";
import { play } from "../play.ts";
import { figure } from "../probe.ts";
import { counted, type Evidence, notTried, outcome, type Rule } from "../rule.ts";
import { type Case, rewardIn, type Subject } from "../subject.ts";

const texts: Readonly<Record<string, string>> = {
  empty: "",
  "white-space": " \n\t ",
  megabyte: "x".repeat(1_000_000),
  "control-characters": "\u0000\u0007\u001B[31m\u0008\u007F",
  "lone-surrogates": "\uD800 \uDC00 <answer>\uD83D</answer> \\boxed{\uDFFF}",
  "line-separators": "first\u2028second\u2029third\u0085\u202Efourth",
  "unclosed-tags": "</answer><answer></think><think><move>",
  "unclosed-braces": '\\boxed{\\boxed{\\boxed{{{{ [[[ {"a": [{',
  "huge-numbers":
    "\\boxed{1e999} <answer>-99999999999999999999999</answer> 0x7fffffff NaN Infinity",
  prototype: '{"__proto__": {"answer": 1}, "constructor": null}',
  "division-by-zero": "\\boxed{1/0} <answer>1/0</answer>",
};
const argumentTexts: Readonly<Record<string, string>> = {
  "broken-arguments": "{",
  "null-arguments": "null",
  "huge-arguments": JSON.stringify({ query: "x".repeat(100_000), path: "../".repeat(1000) }),
};
const maxCases = 2;

export const oddReplies: Rule = {
  id: "odd-replies",
  severity: "high",
  asks: "Every reply gets a finite reward.",
  decides:
    "Replies that models write by accident play two examples: empty ones, a megabyte, control characters, lone surrogates, U+2028, unclosed tags, huge numbers, broken arguments of tools. A finding is a rollout that fails (a score threw, was NaN or outside of its range), or that earns more than the best rollout.",
  remedy:
    "Return a reward for it: usually 0. A failed rollout has no reward, so a model that fails is not discouraged.",

  async check(subject) {
    const cases = subject.cases.slice(0, maxCases);
    if (cases.length === 0) return notTried("no examples");
    const odd = await inParallel(cases, async (one) =>
      (await oddMessages(subject, one)).map(([name, messages]) => ({ one, name, messages })),
    );
    const played = await inParallel(odd.flat(), async ({ one, name, messages }) => ({
      one,
      name,
      rollout: await play(subject, one.keyed, scriptedModel(...messages)),
    }));
    const found = new Map<string, Evidence>();
    for (const { one, name, rollout } of played) {
      if (rollout.status === "failed" && rollout.error.isFatal)
        return notTried(rollout.error.message);
      const problem =
        rollout.status === "failed"
          ? `fails with the code ${rollout.error.code}: ${rollout.error.message}`
          : one.best.status === "scored" && rollout.reward > rewardIn(one.best) + 1e-9
            ? `earns ${figure(rollout.reward)}, the best rollout ${figure(rewardIn(one.best))}`
            : undefined;
      if (problem === undefined || found.has(name)) continue;
      found.set(name, {
        variant: name,
        message: `The reply ${name} ${problem}`,
        conversations: [conversationOf(name, rollout)],
      });
    }
    return outcome(counted(played.length, "rollout"), [...found.values()]);
  },
};

/** Each odd reply alone, and after the best first message, where a score may expect more. */
async function oddMessages(
  subject: Subject,
  one: Case,
): Promise<readonly (readonly [string, readonly AssistantMessage[]])[]> {
  const odd = [
    ...Object.entries(texts).map(
      ([name, content]) => [name, { role: "assistant", content }] as const,
    ),
    ...(await toolsOf(subject, one)).flatMap(({ name: tool }) =>
      Object.entries(argumentTexts).map(
        ([name, text]) => [`${name} of ${tool}`, callTools([[tool, text]])] as const,
      ),
    ),
  ];
  const first = one.best.completion.find((message) => message.role === "assistant");
  const isLong = one.best.trajectory.length > 1 && first !== undefined;
  const alone = odd.map(([name, message]) => [name, [message]] as const);
  if (!isLong) return alone;
  return [...alone, ["empty after the first turn", [first, { role: "assistant", content: "" }]]];
}

async function toolsOf(
  { environment, seed }: Subject,
  { keyed }: Case,
): Promise<readonly ToolSpec[]> {
  const main = episode(environment, keyed.example, { key: keyed.key, seed });
  try {
    await main.start();
    return main.tools.slice(0, 8);
  } finally {
    await main.close();
  }
}
