import { randomInt } from "node:crypto";

import { canonicalJson } from "@envs/core/engine";
import type { RecordedReply, ReplayedRollout, ReplayRequest } from "@envs/records/bundle";

import { type BundleCode, BundleRejection, ReplayProblem } from "./bundle-code.ts";
import { type BundleProcess, type ReplayLimits, startBundle } from "./bundle-process.ts";
import { playedOtherwise } from "./play-rollout.ts";
import { shuffled } from "./recorded-groups.ts";
import type { GroupReplay } from "./replay-run.ts";

/** The number of groups that are replayed again, and of those whose requests are large. */
const maxSample = 32;
const maxLargeSample = 4;
const largeCharacters = 2 ** 20;
/** The number of rollouts that are also played step by step. */
const maxPlayed = 8;
/** The minimum number of decoys that do not have the most frequent reward: fewer may keep their rewards by chance. */
const minOtherDecoys = 8;

type ReplayedGroup = Pick<GroupReplay, "request" | "replayed">;

/** Collects random groups of a run, as few as memory allows. */
export function groupSample() {
  const [small, large] = [reservoir(maxSample), reservoir(maxLargeSample)];
  return {
    add({ request, replayed }: ReplayedGroup): void {
      const isLarge = JSON.stringify(request).length > largeCharacters;
      (isLarge ? large : small).add({ request, replayed });
    },
    groups: () => [...small.items, ...large.items],
  };
}

/** Collects random items of a sequence: each has the same chance to be among them. */
function reservoir(max: number) {
  const items: ReplayedGroup[] = [];
  let count = 0;
  return {
    items,
    add(item: ReplayedGroup): void {
      count += 1;
      const place = items.length < max ? items.length : randomInt(count);
      if (place < max) items[place] = item;
    },
  };
}

/**
 * Replays a sample of a run again, in another process, in another order and beside decoys: the same examples with scrambled
 * replies. Some rollouts are also played step by step. Throws a {@link ReplayProblem} if the results differ from those of the
 * first replay, or if the rewards do not depend on the replies.
 */
export async function examineBundle(
  bundle: BundleCode,
  sample: readonly ReplayedGroup[],
  limits: ReplayLimits,
): Promise<void> {
  using process = await startBundle(bundle, limits);
  const decoys: (readonly [before: ReplayedRollout, after: ReplayedRollout])[] = [];
  let played = 0;
  for (const { isDecoy, group } of shuffled(
    sample.flatMap((group) => [false, true].map((isDecoy) => ({ isDecoy, group }))),
  )) {
    const { request, replayed } = group;
    if (isDecoy) {
      decoys.push(...(await replayDecoys(process, group)));
      continue;
    }
    const again = await process.replay(request);
    const other = replayed.findIndex(
      (before, index) => canonicalJson(before) !== canonicalJson(again[index]),
    );
    if (other >= 0) throw dependsOnOrder(request, [replayed[other]!, again[other]!]);
    if (bundle.hasGroupScores || played >= maxPlayed) continue;
    played += 1;
    const problem = await playedOtherwise(process, request, replayed[0]!);
    if (problem !== undefined)
      throw new ReplayProblem(
        `The bundle plays example ${request.example.index} otherwise than it replays it: ${problem}`,
      );
  }
  if (ignoresReplies(decoys))
    throw new ReplayProblem(
      `The rewards do not depend on the replies: ${decoys.length} scrambled replies have the rewards of the recorded ones.`,
    );
}

function dependsOnOrder(
  { example }: ReplayRequest,
  results: readonly ReplayedRollout[],
): ReplayProblem {
  const [first, second] = results.map((result) =>
    result.problem === undefined ? `the reward ${result.reward}` : "an error",
  );
  const change = first === second ? "other scores or messages" : `${first}, then ${second}`;
  return new ReplayProblem(
    `The bundle's answers depend on more than the replies: when example ${example.index} was replayed again, in another order, it had ${change}.`,
  );
}

/** Replays a group with scrambled replies. Returns the results before and after of the rollouts whose replies changed. */
async function replayDecoys(process: BundleProcess, { request, replayed }: ReplayedGroup) {
  const rollouts = request.rollouts.map((rollout) => ({
    ...rollout,
    replies: rollout.replies.map(scrambled),
  }));
  const results = await process.replay({ ...request, rollouts }).catch((error: unknown) => {
    // A bundle may reject replies that no model gave.
    if (!(error instanceof BundleRejection)) throw error;
    return rollouts.map(() => ({ problem: error.message }));
  });
  return results.flatMap((after, index) =>
    canonicalJson(rollouts[index]) === canonicalJson(request.rollouts[index])
      ? []
      : [[replayed[index]!, after] as const],
  );
}

/** A reply of at most a third of the characters of another one, in random order. */
function scrambled({ message, ...reply }: RecordedReply): RecordedReply {
  const { content, tool_calls: calls } = message;
  const text = (of: string): string => {
    const characters = shuffled(Array.from(of));
    return characters.slice(0, randomInt(Math.ceil(characters.length / 3) + 1)).join("");
  };
  const changed = calls?.map(({ id, type, function: { name, arguments: input } }) => ({
    id,
    type,
    function: { name, arguments: text(input) },
  }));
  return {
    ...reply,
    message: { ...message, content: text(content), ...(changed && { tool_calls: changed }) },
  };
}

/** Whether all decoys have the rewards of the recorded replies, although these rewards differ. */
function ignoresReplies(
  decoys: readonly (readonly [before: ReplayedRollout, after: ReplayedRollout])[],
): boolean {
  if (decoys.some(([before, after]) => rewardOf(before) !== rewardOf(after))) return false;
  const counts = [...Map.groupBy(decoys, ([before]) => rewardOf(before)).values()].map(
    ({ length }) => length,
  );
  return decoys.length - Math.max(0, ...counts) >= minOtherDecoys;
}

function rewardOf(result: ReplayedRollout): number | undefined {
  return result.problem === undefined ? result.reward : undefined;
}
