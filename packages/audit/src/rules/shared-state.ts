import type { Rollout } from "@envs/core";
import { canonicalJson } from "@envs/core/engine";

import { conversationOf } from "../conversation.ts";
import { play, repeating } from "../play.ts";
import { counted, notTried, outcome, type Rule } from "../rule.ts";
import type { Case } from "../subject.ts";

export const sharedState: Rule = {
  id: "shared-state",
  severity: "high",
  asks: "Other rollouts do not change a rollout's result.",
  decides:
    "The best rollouts are repeated message by message: again in the same order, in reverse order, and all at once. A finding is a rollout whose messages, scores or reward differ from the first time.",
  remedy:
    "Create what changes in `setup`. Variables of the module, default objects and caches are shared by all rollouts.",

  async check(subject) {
    const cases = subject.cases.filter(({ best }) => best.status === "scored");
    if (cases.length < 2) return notTried("fewer than two examples with a scored rollout");
    const again = async (one: Case): Promise<readonly [Case, Rollout]> => [
      one,
      await play(subject, one.keyed, repeating(one.best)),
    ];
    const orders: Readonly<Record<string, () => Promise<readonly (readonly [Case, Rollout])[]>>> = {
      repeated: () => inOrder(cases, again),
      reversed: () => inOrder(cases.toReversed(), again),
      "at-once": () => Promise.all(cases.map(again)),
    };
    // Compares repetitions, not the original rollout: sub-models answer a policy and its repetition differently.
    const first = new Map(await inOrder(cases, again));
    for (const [variant, run] of Object.entries(orders)) {
      const differing = (await run()).find(([one, rollout]) => !isEqual(first.get(one)!, rollout));
      if (differing === undefined) continue;
      const [one, rollout] = differing;
      const before = first.get(one)!;
      return outcome(`3 orders × ${counted(cases.length, "example")}`, [
        {
          variant,
          message: `The same replies lead to another ${difference(before, rollout)} when rollouts are ${variant === "at-once" ? "played at once" : variant}`,
          conversations: [
            conversationOf("the first time", before),
            conversationOf(variant, rollout),
          ],
        },
      ]);
    }
    return outcome(`3 orders × ${counted(cases.length, "example")}`, []);
  },
};

async function inOrder<Result>(
  cases: readonly Case[],
  work: (one: Case) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const one of cases) results.push(await work(one));
  return results;
}

function isEqual(left: Rollout, right: Rollout): boolean {
  return difference(left, right) === undefined;
}

/** The first difference between two rollouts of the same replies; `undefined` if they agree. */
function difference(left: Rollout, right: Rollout): string | undefined {
  if (
    canonicalJson([left.prompt, left.completion]) !==
    canonicalJson([right.prompt, right.completion])
  )
    return "conversation";
  if (left.status !== right.status) return "outcome";
  if (left.status === "failed" || right.status === "failed") return undefined;
  return canonicalJson([left.reward, left.scores]) === canonicalJson([right.reward, right.scores])
    ? undefined
    : "reward";
}
