import { type PlayRollouts, fieldsOfEnvironment } from "@envs/cli/kit/runs";
import {
  ConfigError,
  type Environment,
  type EnvironmentFactory,
  type JudgeModels,
  type Message,
  policy,
  random,
  type Rollout,
  rollouts,
} from "@envs/core";
import { sidesOf } from "@envs/records";
import { readChats } from "@envs/records/node";
import { parseClauses } from "@envs/viewer";

import { seatModels } from "../../train/model-seats.ts";
import type { TrainingPlan } from "../../train/plan.ts";
import { filterRollouts } from "../export/filter-rollouts.ts";

type SftPhase = Extract<TrainingPlan["phases"][string], { kind: "sft" }>;
type Chats = readonly (readonly Message[])[];

interface PolicyPlay {
  readonly seed: number;
  readonly judge?: JudgeModels | undefined;
  /** Default: core's `rollouts()`. */
  readonly play?: PlayRollouts | undefined;
  /** Receives how many equal conversations were left out, and how to keep them. */
  readonly onDuplicates?: ((description: string) => void) | undefined;
  /** Receives how many conversations have been read or played, every 1,000. */
  readonly onProgress?: ((description: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** After how many conversations the progress is reported. */
const reportInterval = 1000;

/**
 * Loads the conversations of a supervised phase: from a file, or from a policy's rollouts, filtered like in `envs synth`.
 * Loads the same data only once.
 */
export function loadConversations(
  factory: EnvironmentFactory,
  options: PolicyPlay,
): (phase: SftPhase) => Promise<Chats> {
  const cache = new Map<SftPhase["data"], Promise<Chats>>();
  return ({ data }) => {
    const chats =
      cache.get(data) ??
      ("file" in data ? readFile(data.file, options) : playPolicy(factory, data, options));
    cache.set(data, chats);
    return chats;
  };
}

function noConversations(
  played: readonly Rollout[],
  { policy: name, where }: Extract<SftPhase["data"], { policy: string }>,
): string {
  const errors = played.flatMap((rollout) => (rollout.status === "failed" ? [rollout.error] : []));
  if (errors.length === played.length)
    return `All ${played.length} rollouts of policy:${name} failed, so there is no training data. The first one: ${errors[0]?.message}`;
  const condition = where === undefined ? "is complete" : `matches "where" (${where})`;
  const remedy =
    where === undefined ? "Use another policy." : 'Relax "where", or use another policy.';
  return `None of the ${played.length} rollouts of policy:${name} ${condition}, so there is no training data. ${remedy}`;
}

async function readFile(file: string, { signal, onProgress }: PolicyPlay): Promise<Chats> {
  const chats: Message[][] = [];
  for await (const { messages } of readChats(file)) {
    signal?.throwIfAborted();
    chats.push([...messages]);
    if (chats.length % reportInterval === 0) onProgress?.(`read ${chats.length} conversations`);
  }
  return chats;
}

async function playPolicy(
  factory: EnvironmentFactory,
  data: Extract<SftPhase["data"], { policy: string }>,
  { seed, judge, play = rollouts, onDuplicates, onProgress, signal }: PolicyPlay,
): Promise<Chats> {
  const environment: Environment = factory(data.config);
  const clauses = parseClauses(data.where, fieldsOfEnvironment(environment));
  const played: Rollout[] = [];
  let count = 0;
  const { examples, rolloutsPerExample, includeDuplicates } = data;
  const teacher = policy(data.policy);
  for await (const rollout of play(environment, {
    model: seatModels(environment, teacher, data),
    judge,
    examples,
    rolloutsPerExample,
    concurrency: 256,
    seed: random("synth", seed).int(2 ** 31),
    signal,
  })) {
    played.push(...sidesOf(rollout));
    if ((count += 1) % reportInterval === 0)
      onProgress?.(`played ${count} rollouts of policy:${data.policy}`);
  }
  signal?.throwIfAborted();
  played.sort((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex);
  const { kept, excluded } = filterRollouts(played, { clauses, includeDuplicates });
  if (kept.length === 0) throw new ConfigError(noConversations(played, data));
  const duplicates = excluded.find(({ reason }) => reason === "duplicate")?.count ?? 0;
  if (duplicates > 0)
    onDuplicates?.(
      `left out ${duplicates} of ${played.length} conversations, which equal another. To keep them, and how often policy:${data.policy} plays each: data.includeDuplicates`,
    );
  return kept.map(({ prompt, completion }) => prompt.concat(completion));
}
