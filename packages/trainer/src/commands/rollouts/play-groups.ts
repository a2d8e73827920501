import { appendFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { type Environment, type Rollout, rollouts, type RolloutsOptions } from "@envs/core";
import { createFolder } from "@envs/records/node";

import { hasTokens, sequencesOf } from "../../algorithms/trajectory.ts";

/** Plays rollouts and, if `file` is set, appends each group to it once the group is complete. Stops at a fatal error. */
export async function playGroups(
  environment: Environment,
  options: RolloutsOptions,
  file: string | undefined,
): Promise<readonly Rollout[]> {
  if (file !== undefined) {
    await createFolder(dirname(file));
    await writeFile(file, "");
  }
  const write = async (group: readonly Rollout[]): Promise<void> => {
    if (file !== undefined) await appendFile(file, `${JSON.stringify(createGroupRecord(group))}\n`);
  };
  const all: Rollout[] = [];
  const openGroups = new Map<string, Rollout[]>();
  for await (const rollout of rollouts(environment, options)) {
    all.push(rollout);
    const { exampleKey } = rollout;
    const group = [...(openGroups.get(exampleKey) ?? []), rollout];
    openGroups.set(exampleKey, group);
    if (group.length === options.rolloutsPerExample) {
      openGroups.delete(exampleKey);
      await write(group);
    }
    // All other rollouts would fail the same way.
    if (rollout.status === "failed" && rollout.error.isFatal) break;
  }
  for (const group of openGroups.values()) await write(group);
  return all;
}

/** A rollout without a score, and the reason. */
export interface FailureRecord {
  readonly rollout_index: number;
  readonly code: string;
  readonly message: string;
}

/**
 * The rollouts of one example, for trainers that read groups from a file. The lists have one entry per sequence. A rollout
 * has several sequences if its prompt was rewritten between turns.
 */
export interface GroupRecord {
  readonly environment: string;
  readonly example_id: number;
  readonly example_key: string;
  readonly tokens: readonly (readonly number[])[];
  /** The token id if the model sampled it, −100 if it belongs to the prompt. */
  readonly masks: readonly (readonly number[])[];
  /** 0 for tokens of the prompt. */
  readonly logprobs: readonly (readonly number[])[];
  readonly scores: readonly number[];
  readonly rollout_indices: readonly number[];
  readonly truncated: readonly boolean[];
  /** Failed rollouts have no score: a failure does not count as 0. */
  readonly failed: readonly FailureRecord[];
}

/** Creates the record of the rollouts of one example. */
function createGroupRecord(group: readonly Rollout[]): GroupRecord {
  const ordered = group.toSorted((a, b) => a.rolloutIndex - b.rolloutIndex);
  const { environment, exampleIndex, exampleKey } = ordered[0]!;
  const sequences = ordered.flatMap((rollout) =>
    rollout.status === "failed" || groupFailure(rollout) !== undefined
      ? []
      : sequencesOf(rollout).map((sequence) => ({ rollout, sequence })),
  );
  return {
    environment,
    example_id: exampleIndex,
    example_key: exampleKey,
    tokens: sequences.map(({ sequence }) => sequence.ids),
    masks: sequences.map(({ sequence: { ids, turns } }) =>
      ids.map((id, index) => (turns[index]! >= 0 ? id : -100)),
    ),
    logprobs: sequences.map(({ sequence }) => sequence.logprobs),
    scores: sequences.map(({ rollout }) => rollout.reward),
    rollout_indices: sequences.map(({ rollout }) => rollout.rolloutIndex),
    truncated: sequences.map(({ rollout }) => rollout.isTruncated),
    failed: ordered.flatMap((rollout) => {
      const failure = groupFailure(rollout);
      return failure === undefined ? [] : [{ rollout_index: rollout.rolloutIndex, ...failure }];
    }),
  };
}

/** Why a rollout cannot be part of a group: it failed, or it has no token ids. Returns `undefined` if it can. */
export function groupFailure(
  rollout: Rollout,
): { readonly code: string; readonly message: string } | undefined {
  if (rollout.status === "failed") {
    const { code, message } = rollout.error;
    return { code, message };
  }
  if (hasTokens(rollout)) return undefined;
  return {
    code: "tokens",
    message:
      "The server did not return token ids. Use a server that does, such as vLLM with return_token_ids.",
  };
}
