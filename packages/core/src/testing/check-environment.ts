import type { EnvironmentFactory } from "../environment.ts";
import { ConfigError, messageOf } from "../errors.ts";
import { checks, type Subject } from "./checks.ts";

export interface CheckOptions {
  /** The package's name: its last part must be the environment's name. */
  readonly packageName?: string;
  /** The policy that plays as well as can be. Default: the first. */
  readonly solve?: string;
  /** The reward that `solve` must reach on each example, if there is one. */
  readonly fullReward?: number;
  /** The config to check with, if not the defaults. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** How many examples to look at. Default 32. */
  readonly examples?: number;
}

/** One thing every environment must be, and whether this one is. */
export interface CheckResult {
  readonly name: string;
  /** What is wrong; `undefined` if nothing is. */
  readonly problem: string | undefined;
}

/** Runs the conformance suite and reports each check. */
export async function checkReport(
  factory: AnyFactory,
  options: CheckOptions = {},
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [name, check] of Object.entries(checks))
    results.push({ name, problem: await problemOf(() => check(subjectOf(factory, options))) });
  return results;
}

/** Runs the conformance suite. Throws an error that lists every check that failed. */
export async function checkEnvironment(
  factory: AnyFactory,
  options: CheckOptions = {},
): Promise<void> {
  const failed = (await checkReport(factory, options)).filter(
    ({ problem }) => problem !== undefined,
  );
  if (failed.length === 0) return;
  const list = failed.map(({ name, problem }) => `- ${name}: ${problem}`).join("\n");
  throw new Error(`${factory.definition.name} breaks what every environment keeps:\n${list}`);
}

type AnyFactory = Pick<EnvironmentFactory, "definition"> & {
  (config?: never): ReturnType<EnvironmentFactory<never>>;
};

function subjectOf(factory: AnyFactory, options: CheckOptions): Subject {
  const { examples = 32, packageName, fullReward } = options;
  const environment = factory(options.config as never);
  const policies = Object.keys(factory.definition.policies ?? {});
  const solve = options.solve ?? policies[0];
  if (options.solve !== undefined && !policies.includes(options.solve))
    throw new ConfigError(`There is no policy named ${options.solve}.`);
  return { environment, policies, solve, examples, packageName, fullReward };
}

async function problemOf(run: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await run();
  } catch (error) {
    return messageOf(error);
  }
}
