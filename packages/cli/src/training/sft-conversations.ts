import {
  ConfigError,
  type Environment,
  type EnvironmentFactory,
  type Message,
  policy,
  random,
  type Rollout,
  rollouts,
} from "@envs/core";
import { readChats } from "@envs/core/node";
import type { TrainingPlan } from "@envs/trainer";

import { filterRollouts } from "../export/filter-rollouts.ts";
import { fieldsOfEnvironment } from "../runs/rollout-fields.ts";
import { parseClauses } from "../runs/where.ts";

type SftPhase = Extract<TrainingPlan["phases"][string], { kind: "sft" }>;
type Chats = readonly (readonly Message[])[];

/** Fetches what a supervised phase learns from: a file, or rollouts of a policy, sifted as `envs synth` does. */
export function loadConversations(
  factory: EnvironmentFactory,
  seed: number,
): (phase: SftPhase) => Promise<Chats> {
  const known = new Map<SftPhase["data"], Promise<Chats>>();
  return ({ data }) => {
    const found = known.get(data) ?? ("file" in data ? read(data.file) : play(factory, data, seed));
    known.set(data, found);
    return found;
  };
}

async function read(file: string): Promise<Chats> {
  const chats: Message[][] = [];
  for await (const { messages } of readChats(file)) chats.push([...messages]);
  return chats;
}

async function play(
  factory: EnvironmentFactory,
  data: Extract<SftPhase["data"], { policy: string }>,
  seed: number,
): Promise<Chats> {
  const environment: Environment = factory(data.config);
  const where = data.where?.trim() ?? "";
  const clauses = where === "" ? [] : parseClauses(where, fieldsOfEnvironment(environment));
  const played: Rollout[] = [];
  const { examples, rolloutsPerExample } = data;
  for await (const rollout of rollouts(environment, {
    model: policy(data.policy),
    examples,
    rolloutsPerExample,
    concurrency: 256,
    seed: random("synth", seed).int(2 ** 31),
  }))
    played.push(rollout);
  played.sort((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex);
  const { kept } = filterRollouts(played, {
    clauses,
    includeTruncated: false,
    includeDuplicates: false,
  });
  if (kept.length === 0)
    throw new ConfigError(
      `None of ${played.length} rollouts of policy:${data.policy} is left after ${JSON.stringify(where)}: there is nothing to learn from. Loosen "where", or take another policy.`,
    );
  return kept.map(({ prompt, completion }) => prompt.concat(completion));
}
