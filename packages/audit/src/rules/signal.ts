import { policy, type Rollout } from "@envs/core";

import { conversationOf } from "../conversation.ts";
import { inParallel } from "../in-parallel.ts";
import { play, playGroup } from "../play.ts";
import { isUnjudged, noScale } from "../probe.ts";
import { counted, notTried, outcome, type Rule } from "../rule.ts";
import { type Case, rewardIn, type Subject } from "../subject.ts";

const size = 6;

export const signal: Rule = {
  id: "signal",
  severity: "medium",
  asks: "Rollouts of the same example earn different rewards, so that a model can learn from them.",
  decides:
    "Each example is played by all policies and by silence, and by six random players where the environment lists choices. A finding is an environment in which the rewards are equal within most examples, or in which random players earn equal rewards within nine of ten examples.",
  remedy:
    "Give partial rewards, or make examples easier. If all rewards of a group are equal, its advantages are 0 and nothing is learned.",

  async check(subject) {
    const { cases, policies, environment } = subject;
    if (policies.length === 0) return notTried("no policies");
    if (isUnjudged(subject)) return notTried(noScale(subject));
    const groups = await inParallel(cases, async (one) => ({
      one,
      rewards: await rewardsOf(subject, one),
    }));
    const flat = groups.filter(({ rewards }) => isFlat(rewards));
    const evidence = [];
    if (flat.length > groups.length / 2)
      evidence.push({
        variant: "flat",
        message: `All players earn the same reward on ${flat.length} of ${counted(groups.length, "example")}: ${policies.join(", ")} and silence`,
        conversations: [
          conversationOf(`policy:${policies[0]}`, flat[0]!.one.best),
          conversationOf("silence", flat[0]!.one.silence),
        ],
      });
    if (environment.definition.game?.choices !== undefined) {
      const random = await randomGroups(subject);
      const equal = random.filter((group) => isFlat(group.map(rewardIn)));
      if (equal.length > 0.9 * random.length)
        evidence.push({
          variant: "random-players",
          message: `${size} random players earn the same reward on ${equal.length} of ${counted(random.length, "example")}`,
          conversations: equal[0]!
            .slice(0, 2)
            .map((rollout) => conversationOf("a random player", rollout)),
        });
    }
    return outcome(
      `${counted(policies.length + 1, "player")} × ${counted(cases.length, "example")}`,
      evidence,
    );
  },
};

async function rewardsOf(
  subject: Subject,
  { keyed, best, silence }: Case,
): Promise<readonly number[]> {
  const rewards = [rewardIn(best), rewardIn(silence)];
  for (const name of subject.policies.slice(1))
    if (isFlat(rewards)) rewards.push(rewardIn(await play(subject, keyed, policy(name))));
  return rewards;
}

function randomGroups(subject: Subject): Promise<readonly (readonly Rollout[])[]> {
  return inParallel(subject.cases, ({ keyed }) =>
    playGroup(subject, keyed, { model: policy("random"), size }),
  );
}

function isFlat(rewards: readonly number[]): boolean {
  return Math.max(...rewards) - Math.min(...rewards) < 1e-9;
}
