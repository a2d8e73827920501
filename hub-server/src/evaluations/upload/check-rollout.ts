import type { Rollout } from "@envs/core";
import { contentHash, factsOf, type RolloutFacts } from "@envs/core/engine";
import type { EnvironmentManifest } from "@envs/hub-client";
import { exampleHash, isReadable, parseRow } from "@envs/records";

import { quoted } from "../../platform/errors/hub-error.ts";

/** Why a line is not a rollout of the environment. */
export class RecordProblem extends Error {
  override readonly name = "RecordProblem";
}

/** The facts of a rollout that the hub has checked. */
export type CheckedRollout = RolloutFacts & {
  /** The hash of its replies. Ids of tool calls and white space, which change no reply, do not change it. */
  readonly replies: string;
  readonly exampleHash: string;
};

/** The tolerance for sums of floating-point numbers, which depend on their order. */
const tolerance = 1e-9;
const maxIndex = 2 ** 31 - 1;

/**
 * Reads a line of `results.jsonl` and checks that it is a rollout of the manifest's environment: its example has the key that
 * its content gives it, its scores are in their ranges, its reward is the weighted sum of its scores, and its tokens are the
 * sum of its turns. Throws a {@link RecordProblem}.
 */
export function checkRollout(line: string, manifest: EnvironmentManifest): CheckedRollout {
  const rollout = parseRow(line);
  if (!isReadable(rollout)) throw new RecordProblem(rollout.problem);
  if (rollout.environment !== manifest.name)
    throw new RecordProblem(
      `It is a rollout of ${quoted(rollout.environment)}, but the run is of ${manifest.name}.`,
    );
  checkIndexes(rollout);
  checkKey(rollout, line);
  if (rollout.status === "scored") checkScores(rollout, manifest);
  checkUsage(rollout);
  return Object.assign(factsOf(rollout), {
    replies: repliesHash(rollout),
    exampleHash: exampleHash(rollout.example),
  });
}

function repliesHash({ trajectory }: Rollout): string {
  const compact = (text: string): string => text.replace(/\s+/g, "");
  return contentHash(
    trajectory.map(
      ({ message: { content, reasoning_content: reasoning = "", tool_calls: calls } }) => [
        compact(content),
        compact(reasoning),
        calls?.map((call) => [call.function.name, compact(call.function.arguments)]) ?? [],
      ],
    ),
  );
}

function checkIndexes({ exampleIndex, rolloutIndex }: Rollout): void {
  for (const [name, index] of Object.entries({
    example_id: exampleIndex,
    rollout_index: rolloutIndex,
  }))
    if (index < 0 || index > maxIndex)
      throw new RecordProblem(`${name} is ${index}. It must be from 0 to ${maxIndex}.`);
}

/** A key is the example's id or the hash of its content, with a suffix such as `-2` if an earlier example has the same. */
function checkKey({ example, exampleKey: key }: Rollout, line: string): void {
  if (key.length > 500 || /[\p{Cc}\p{Cs}]/u.test(key))
    throw new RecordProblem("example_key has more than 500 characters, or control characters.");
  if (example.id === key) return;
  const { example: stored } = JSON.parse(line) as { readonly example?: unknown };
  const base = key.replace(/-\d+$/, "");
  const candidates = new Set([example.id, contentHash(stored), exampleHash(example)]);
  if (candidates.has(key) || (base !== key && candidates.has(base))) return;
  throw new RecordProblem(
    `example_key is ${quoted(key)}, which is neither the id nor the hash of its example.`,
  );
}

function checkScores(
  { scores, reward }: Extract<Rollout, { status: "scored" }>,
  manifest: EnvironmentManifest,
): void {
  const known = new Map(manifest.scores.map((score) => [score.name, score]));
  let sum = 0;
  let size = 1;
  for (const [name, value] of Object.entries(scores)) {
    const score = known.get(name);
    if (score === undefined)
      throw new RecordProblem(`It has the score ${quoted(name)}, which the environment lacks.`);
    if (value === null) continue;
    const [min, max] = score.range ?? [-Infinity, Infinity];
    if (value < min - tolerance || value > max + tolerance)
      throw new RecordProblem(`The score ${name} is ${value}, outside its range [${min}, ${max}].`);
    sum += score.weight * value;
    size = Math.max(size, Math.abs(score.weight * value));
  }
  if (Math.abs(sum - reward) <= tolerance * size) return;
  throw new RecordProblem(`The reward is ${reward}, but the weighted sum of the scores is ${sum}.`);
}

function countsOf(usage: NonNullable<Rollout["usage"]>): readonly number[] {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens];
}

function checkUsage({ usage, trajectory }: Rollout): void {
  const turns = trajectory.map((turn) => turn.usage);
  const isKnown = turns.every((turn) => turn !== undefined);
  if (isKnown !== (usage !== undefined))
    throw new RecordProblem(
      "token_usage must be null exactly if the tokens of a turn are unknown.",
    );
  for (const tokens of [...turns, usage])
    for (const count of tokens === undefined ? [] : countsOf(tokens))
      if (!Number.isSafeInteger(count) || count < 0 || count > maxIndex)
        throw new RecordProblem(`A token count is ${count}. It must be a whole number from 0.`);
  const sumOf = (name: "inputTokens" | "outputTokens"): number =>
    turns.reduce((sum, turn) => sum + (turn?.[name] ?? 0), 0);
  if (
    usage === undefined ||
    (usage.inputTokens === sumOf("inputTokens") && usage.outputTokens === sumOf("outputTokens"))
  )
    return;
  throw new RecordProblem(
    `token_usage is ${usage.inputTokens} + ${usage.outputTokens} tokens, but its turns have ${sumOf("inputTokens")} + ${sumOf("outputTokens")}.`,
  );
}
