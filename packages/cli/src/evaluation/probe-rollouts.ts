import { type Environment, type Model, policy, type Rollout, rollouts } from "@envs/core";
import {
  canonicalJson,
  describeContent,
  type KeyedExample,
  noUsage,
  policyNamesOf,
} from "@envs/core/engine";

const silence: Model = async () => ({
  message: { role: "assistant", content: "" },
  finish: "stop",
  usage: noUsage,
});

/** How long a probe may take, in milliseconds. */
const timeoutMs = 5000;

interface ProbeOptions {
  readonly seed: number;
  readonly signal: AbortSignal;
}

/**
 * Plays the first example alone, and again beside the second one. Describes how the two rollouts differ; `undefined` if they agree,
 * and if a rollout fails or takes too long. A policy replies, else empty messages, so it does not call a model.
 */
export async function probeRollouts(
  environment: Environment,
  examples: readonly KeyedExample[],
  { seed, signal }: ProbeOptions,
): Promise<string | undefined> {
  const options = { seed, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) };
  const alone = await playFirst(environment, examples.slice(0, 1), options);
  const beside = alone && (await playFirst(environment, examples, options));
  const found = beside && difference(alone, beside);
  return (
    found &&
    `Rollouts of ${environment.name} change each other, or are not determined by the seed: example ${alone.exampleIndex} was played twice with the same replies, the second time beside another example, and ${found}. Create what changes in setup, not in variables of the module, and draw random values from the context. For more checks: envs check`
  );
}

async function playFirst(
  environment: Environment,
  examples: readonly KeyedExample[],
  { seed, signal }: ProbeOptions,
): Promise<Rollout | undefined> {
  const [best] = policyNamesOf(environment);
  const played = rollouts(environment, {
    model: best === undefined ? silence : policy(best),
    skipJudged: true,
    seed,
    signal,
    maxTurns: 8,
    // oxlint-disable-next-line require-await -- `select` is a generator of rows
    async *select() {
      yield* examples;
    },
    examples: examples.length,
    rolloutsPerExample: 1,
    concurrency: examples.length,
  });
  const all = await Array.fromAsync(played);
  return all.find(({ exampleKey }) => exampleKey === examples[0]?.key);
}

function difference(before: Rollout, after: Rollout): string | undefined {
  if (before.status === "failed" || after.status === "failed") return undefined;
  const [first, second] = [before, after].map(messagesOf);
  const length = Math.max(first!.length, second!.length);
  for (let index = 0; index < length; index += 1)
    if (first![index] !== second![index])
      return `message ${index} was ${shown(before, index)}, then ${shown(after, index)}`;
  const rewards = { ...before.scores, reward: before.reward };
  for (const [name, value] of Object.entries(rewards)) {
    const now = name === "reward" ? after.reward : after.scores[name];
    if (now !== value) return `${name} was ${value}, then ${now}`;
  }
  return undefined;
}

function messagesOf({ prompt, completion }: Rollout): readonly string[] {
  return [...prompt, ...completion].map((message) => canonicalJson(message));
}

function shown({ prompt, completion }: Rollout, index: number): string {
  const message = [...prompt, ...completion][index];
  return message === undefined
    ? "absent"
    : JSON.stringify(describeContent(message.content).slice(0, 80));
}
