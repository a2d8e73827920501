import { isDeepStrictEqual } from "node:util";

import { contentHash, isRedacted } from "@envs/core/engine";

import { configFromArguments } from "../environments/config-arguments.ts";
import { loadEnvironment } from "../environments/load-environment.ts";
import { UsageError } from "../terminal/errors.ts";
import { evaluationArguments } from "./evaluation-arguments.ts";
import { type EvaluationPlan, type ParsedArguments, planFromArguments } from "./evaluation-plan.ts";
import type { ResumableRun } from "./resume.ts";
import { hasGroupScores } from "./saved-rollouts.ts";

type Setting = (plan: EvaluationPlan) => unknown;

/** The options that determine the rollouts, so that all rollouts of a run share them. */
const fixedSettings: Readonly<Partial<Record<keyof typeof evaluationArguments, Setting>>> = {
  model: (plan) => plan.model,
  prompts: (plan) => plan.prompts && contentHash(plan.prompts),
  judge: (plan) => plan.judge,
  "sub-model": (plan) => plan.subModel,
  seed: (plan) => plan.seed,
  split: (plan) => plan.split,
  select: (plan) => plan.select,
  shuffle: (plan) => plan.shuffle,
  "rotate-seats": (plan) => plan.rotateSeats,
  temperature: (plan) => plan.sampling.temperature,
  "top-p": (plan) => plan.sampling.topP,
  "max-tokens": (plan) => plan.sampling.maxTokens,
  "max-total-tokens": (plan) => plan.maxTotalTokens,
  "limit-turns": (plan) => plan.maxTurns,
  tokens: (plan) => plan.tokens,
};

/** The options that a resumed run can change: speed, retries, the number of rollouts, and the pass threshold. */
const changeableSettings = {
  examples: "examples",
  rollouts: "rolloutsPerExample",
  concurrency: "concurrency",
  "turn-timeout": "turnTimeout",
  "rollout-timeout": "rolloutTimeout",
  "hook-timeout": "hookTimeout",
  retry: "retry",
  "judge-base-url": "judgeBaseURL",
  "judge-concurrency": "judgeConcurrency",
  "judge-timeout": "judgeTimeout",
  "judge-cache": "judgeCache",
  "sub-model-base-url": "subModelBaseURL",
  "sub-model-concurrency": "subModelConcurrency",
  "pass-threshold": "passThreshold",
  "base-url": "baseURL",
  "api-key-var": "apiKeyVariable",
} as const satisfies Partial<Record<keyof typeof evaluationArguments, keyof EvaluationPlan>>;

/**
 * Applies the command line to the plan of a run. Throws a `UsageError` that names the options that a resumed run cannot
 * change. An option may repeat the run's own value.
 */
export async function resumedPlan(
  { path, plan }: ResumableRun,
  args: ParsedArguments & { readonly [flag: string]: unknown },
): Promise<EvaluationPlan> {
  const { environment = plan.environment, model = plan.model } = args;
  const requested = planFromArguments({ ...args, environment, model }, {});
  const conflicts = [
    ...(await environmentConflicts(plan, args)),
    ...Object.entries(fixedSettings).flatMap(([flag, setting]) => {
      const [now, before] = [setting(requested), setting(plan)];
      if (args[flag] === undefined || now === before) return [];
      return [`--${flag} is ${text(now)}, but the run has ${text(before)}`];
    }),
  ];
  if (conflicts.length > 0)
    throw new UsageError(
      `Cannot resume ${path} with other settings: ${conflicts.join("; ")}. They determine the rollouts of the run. Remove these options, or start a new run without --resume.`,
    );
  if (plan.declaration !== undefined) rejectOtherSize(plan, args, requested);
  rejectFewer("examples", requested.examples, args.examples === undefined ? 0 : plan.examples);
  rejectFewer(
    "rollouts",
    requested.rolloutsPerExample,
    args.rollouts === undefined ? 0 : plan.rolloutsPerExample,
  );
  if (requested.rolloutsPerExample !== plan.rolloutsPerExample && args.rollouts !== undefined)
    await rejectLargerGroups(plan);
  const changes = Object.entries(changeableSettings).flatMap(([flag, field]) =>
    args[flag] === undefined ? [] : [[field, requested[field]] as const],
  );
  const resumed: EvaluationPlan = { ...plan, ...Object.fromEntries(changes) };
  if (resumed.baseURL === undefined || !isRedacted(resumed.baseURL)) return resumed;
  throw new UsageError(
    `The base URL of the run contained secrets, which are not saved: ${resumed.baseURL}. Pass it again with --base-url.`,
  );
}

async function environmentConflicts(
  plan: EvaluationPlan,
  args: ParsedArguments & { readonly [flag: string]: unknown },
): Promise<readonly string[]> {
  const loaded = await loadEnvironment(plan.environment);
  const { environment: reference = plan.environment } = args;
  if (typeof reference === "string" && reference !== plan.environment) {
    const { module } = await loadEnvironment(reference);
    if (module !== loaded.module)
      return [`the environment is ${reference}, but the run has ${plan.environment}`];
  }
  const config = typeof args.config === "string" ? args.config : undefined;
  const requested = await configFromArguments(
    { ...args, config, environment: plan.environment },
    evaluationArguments,
  );
  const before = loaded.factory(plan.config).config;
  const now = loaded.factory({ ...plan.config, ...requested }).config;
  return Object.keys(requested)
    .filter((name) => !isDeepStrictEqual(now[name], before[name]))
    .map((name) => `config ${name} is ${text(now[name])}, but the run has ${text(before[name])}`);
}

/** Throws a `UsageError` if a declared run would have another size, because its hub would reject it. */
function rejectOtherSize(
  { examples, rolloutsPerExample }: EvaluationPlan,
  args: ParsedArguments,
  requested: EvaluationPlan,
): void {
  const isSame =
    (args.examples === undefined || requested.examples === examples) &&
    (args.rollouts === undefined || requested.rolloutsPerExample === rolloutsPerExample);
  if (isSame) return;
  throw new UsageError(
    `--examples and --rollouts cannot change: the run was declared to a hub with ${Number.isFinite(examples) ? examples : "all"} examples × ${rolloutsPerExample} rollouts. Start a new run without --resume.`,
  );
}

async function rejectLargerGroups({ environment, config }: EvaluationPlan): Promise<void> {
  const { factory } = await loadEnvironment(environment);
  if (!hasGroupScores(factory(config))) return;
  throw new UsageError(
    `--rollouts cannot change: ${environment} scores the rollouts of an example as a group, so all saved groups would be played again. Start a new run without --resume.`,
  );
}

function rejectFewer(flag: string, requested: number, before: number): void {
  if (requested >= before) return;
  throw new UsageError(
    `--${flag} is ${requested}, but the run has ${Number.isFinite(before) ? before : "all"}. A resumed run can have more ${flag}, not fewer.`,
  );
}

function text(value: unknown): string {
  return value === undefined ? "no such setting" : JSON.stringify(value);
}
