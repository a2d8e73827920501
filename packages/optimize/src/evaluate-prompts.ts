import {
  type Environment,
  type Example,
  type Rollout,
  RolloutError,
  rollouts,
  type RolloutsOptions,
} from "@envs/core";
import {
  contentHash,
  describeContent,
  factsOf,
  type KeyedExample,
  type Usage,
} from "@envs/core/engine";

import type { Journal, Trial } from "./journal.ts";
import { type Prompts, withPrompts } from "./prompts.ts";

/** What the calls of a rollout cost: the model's by their usage. */
export type Paid = Pick<Trial, keyof Usage | "otherCost">;

/** The options for playing candidates. */
export interface PlayOptions extends Omit<
  RolloutsOptions,
  "select" | "examples" | "rolloutsPerExample" | "skip" | "onEvent" | "shuffle" | "retry"
> {
  readonly journal: Journal;
  /** Called once for each rollout, also for rollouts from the journal. */
  readonly onTrial: (trial: Trial) => void;
  /** Called for each failed rollout, whose calls were paid too. */
  readonly onFailure: (paid: Paid) => void;
  /** What a rollout's judges, sub-models and helpers cost. Default: nothing. */
  readonly otherCost?: ((rollout: Rollout) => number) | undefined;
}

/**
 * Plays each example once with these prompts. An example whose rollout failed has no trial. Throws an error that would fail every
 * rollout, such as an invalid key.
 */
export async function evaluatePrompts(
  environment: Environment,
  { prompts, examples }: { readonly prompts: Prompts; readonly examples: readonly KeyedExample[] },
  { journal, onTrial, onFailure, otherCost, ...options }: PlayOptions,
): Promise<ReadonlyMap<string, Trial>> {
  const candidate = contentHash({ prompts, model: options.model.id ?? "model" });
  const keyOf = (example: string): string => `${candidate} ${example}`;
  const trials = new Map<string, Trial>();
  const missing = new Set<string>();
  for (const { key } of examples) {
    const known = journal.get(keyOf(key));
    if (known !== undefined && "trial" in known) trials.set(key, known.trial);
    else missing.add(key);
  }
  if (missing.size > 0)
    for await (const rollout of rollouts<Example, unknown, string>(
      withPrompts(environment, prompts),
      {
        ...options,
        select: (all) => only(all, missing),
        examples: missing.size,
        rolloutsPerExample: 1,
      },
    )) {
      const paid = { ...factsOf(rollout).usage, otherCost: otherCost?.(rollout) };
      const trial = trialOf(rollout, paid);
      if (trial === undefined) {
        onFailure(paid);
        continue;
      }
      journal.add({ key: keyOf(rollout.exampleKey), trial });
      trials.set(rollout.exampleKey, trial);
    }
  // Adds up in the order of the examples, so that sums of costs do not depend on which rollout finished first.
  const ordered = examples.flatMap(({ key }) => {
    const trial = trials.get(key);
    return trial === undefined ? [] : [[key, trial] as const];
  });
  for (const [, trial] of ordered) onTrial(trial);
  return new Map(ordered);
}

function trialOf(rollout: Rollout, paid: Paid): Trial | undefined {
  if (rollout.status === "failed") {
    const { code, message, isFatal } = rollout.error;
    if (isFatal || code === "cancelled") throw new RolloutError(code, message, { isFatal });
    return undefined;
  }
  const { reward, scores, feedback = {} } = rollout;
  return { reward, scores, feedback, transcript: transcriptOf(rollout), ...paid };
}

function transcriptOf({ prompt, completion }: Rollout): string {
  return [...prompt, ...completion]
    .filter(({ role }) => role !== "system")
    .map((message) => {
      const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
      const called = calls.map(({ function: { name, arguments: input } }) => `${name}(${input})`);
      return `${message.role}: ${[describeContent(message.content), ...called].join("\n")}`;
    })
    .join("\n\n");
}

async function* only(
  examples: AsyncIterable<KeyedExample>,
  keys: ReadonlySet<string>,
): AsyncGenerator<KeyedExample> {
  let remaining = keys.size;
  for await (const example of examples) {
    if (!keys.has(example.key)) continue;
    yield example;
    if ((remaining -= 1) === 0) return;
  }
}
