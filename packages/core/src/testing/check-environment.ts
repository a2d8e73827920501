import { checkRequirements } from "../definition/check-requirements.ts";
import type { EnvironmentFactory } from "../definition/environment.ts";
import { policyNamesOf } from "../definition/inspect.ts";
import { ConfigError, messageOf } from "../errors.ts";
import type { JudgeModels } from "../rubric/judge.ts";
import { checks, type CheckSubject, type Played } from "./checks.ts";

export interface CheckOptions {
  /** The name of the package. Its last part must be the environment's name. */
  readonly packageName?: string | undefined;
  /** The best policy. Default: the first. */
  readonly solve?: string | undefined;
  /** The minimum reward of `solve` on each example. Default: none. */
  readonly fullReward?: number | undefined;
  /** Default: the default config. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Judges the replies of an environment that needs a judge, such as a scripted model. Default: judged scores are `null`. */
  readonly judge?: JudgeModels | undefined;
  /** The number of examples that the checks use. Default 32. */
  readonly examples?: number | undefined;
}

/** The result of one check. */
export interface CheckResult {
  readonly name: string;
  /** `undefined` if the check passed. */
  readonly problem: string | undefined;
}

/** Runs the conformance suite and returns the result of each check. */
export async function checkReport(
  factory: AnyFactory,
  options: CheckOptions = {},
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  const played: Played = new Map();
  await checkRequirements(subjectOf(factory, options, played).environment);
  for (const [name, check] of Object.entries(checks)) {
    const run = async (): Promise<string | undefined> => check(subjectOf(factory, options, played));
    results.push({ name, problem: await run().catch(messageOf) });
  }
  return results;
}

/** Runs the conformance suite. Throws an error that lists the failed checks. */
export async function checkEnvironment(
  factory: AnyFactory,
  options: CheckOptions = {},
): Promise<void> {
  const failed = (await checkReport(factory, options)).filter(
    ({ problem }) => problem !== undefined,
  );
  if (failed.length === 0) return;
  const list = failed.map(({ name, problem }) => `- ${name}: ${problem}`).join("\n");
  throw new Error(`${factory.definition.name} does not conform:\n${list}`);
}

type AnyFactory = Pick<EnvironmentFactory, "definition"> & {
  (config?: never): ReturnType<EnvironmentFactory<never>>;
};

function subjectOf(factory: AnyFactory, options: CheckOptions, played: Played): CheckSubject {
  const { examples = 32, packageName, fullReward, judge } = options;
  const environment = factory(options.config as never);
  const policies = policyNamesOf(environment);
  const solve = options.solve ?? policies[0];
  if (options.solve !== undefined && !policies.includes(options.solve))
    throw new ConfigError(`${factory.definition.name} has no policy named ${options.solve}.`);
  return { environment, policies, solve, examples, packageName, fullReward, judge, played };
}
