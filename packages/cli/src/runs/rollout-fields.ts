import type { Environment, Rollout } from "@envs/core";
import { describeScores, partsOf, rolloutErrorCodes } from "@envs/core/engine";
import { createFields, type FieldValue, type Fields } from "@envs/viewer";

const builtIn: Readonly<Record<string, (rollout: Rollout) => FieldValue>> = {
  reward: (rollout) => (rollout.status === "scored" ? rollout.reward : null),
  turns: ({ trajectory }) => trajectory.length,
  tokens: ({ usage }) => (usage === undefined ? null : usage.inputTokens + usage.outputTokens),
  truncated: ({ isTruncated }) => Number(isTruncated),
  filtered: ({ isFiltered }) => Number(isFiltered),
  status: ({ status }) => status,
  stop: (rollout) => (rollout.status === "scored" ? rollout.stopReason : null),
  error: (rollout) => (rollout.status === "failed" ? rollout.error.code : null),
  example: ({ exampleIndex }) => exampleIndex,
  rollout: ({ rolloutIndex }) => rolloutIndex,
  part: ({ part }) => part,
};

/** The fields of saved rollouts for `--where`: built-in fields, then scores. */
export function fieldsOfRollouts(rollouts: readonly Rollout[]): Fields {
  const stops = rollouts.flatMap((rollout) =>
    rollout.status === "scored" ? [rollout.stopReason] : [],
  );
  const parts = rollouts.flatMap(({ part }) => part ?? []);
  return fieldsOf(scoreNames(rollouts), { stops, parts });
}

/** The fields that an environment's rollouts will have, to check an expression before they are played. */
export function fieldsOfEnvironment(environment: Environment): Fields {
  const { definition } = environment;
  const scores = describeScores(definition).map(({ name }) => name);
  const limits = ["end", "turns", "tokens", "context"];
  const stops = [...limits, ...Object.keys(definition.episode?.stop ?? {})];
  return fieldsOf(scores, { stops, parts: namesOfParts(environment) });
}

/** The parts of a mix as records name them: `wordle`, or `games/wordle` in a mix of mixes. */
function namesOfParts(environment: Environment): readonly string[] {
  return partsOf(environment).flatMap(([name, part]) => {
    const inner = namesOfParts(part);
    return inner.length === 0 ? [name] : inner.map((each) => `${name}/${each}`);
  });
}

interface TextValues {
  readonly stops: readonly string[];
  readonly parts: readonly string[];
}

function fieldsOf(scores: readonly string[], { stops, parts }: TextValues): Fields {
  return createFields([...Object.keys(builtIn), ...scores], {
    status: ["scored", "failed"],
    stop: [...new Set(stops)],
    error: rolloutErrorCodes,
    part: [...new Set(parts)],
  });
}

/** The names of all scores, in the rubric's order. */
export function scoreNames(rollouts: readonly Rollout[]): readonly string[] {
  return [
    ...new Set(
      rollouts.flatMap((rollout) =>
        rollout.status === "scored" ? Object.keys(rollout.scores) : [],
      ),
    ),
  ];
}

/** The value of a built-in field or a score. A built-in field hides a score of the same name. */
export function fieldValue(rollout: Rollout, name: string): FieldValue {
  if (Object.hasOwn(builtIn, name)) return builtIn[name]!(rollout);
  if (rollout.status !== "scored" || !Object.hasOwn(rollout.scores, name)) return undefined;
  return rollout.scores[name];
}
