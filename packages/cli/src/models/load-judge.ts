import { ConfigError, type Environment, type JudgeUsages, type Model } from "@envs/core";
import {
  checkJudge,
  contentHash,
  defaultJudge,
  judgedScores,
  type JudgeStore,
  missingJudge,
  sharedJudges,
} from "@envs/core/engine";
import { costOf, type KnownPrice } from "@envs/models/prices";
import { judgeFile } from "@envs/records/node";
import type { ArgsDef } from "citty";

import type { Endpoint } from "../config-file.ts";
import { integerOption, secondsOption } from "../terminal/arguments.ts";
import { UsageError } from "../terminal/errors.ts";
import { valueOption } from "../terminal/options.ts";
import { type OptionValues, textOptions } from "../text/text-option.ts";
import { loadModel } from "./load-model.ts";
import type { LoadedModel } from "./loaded-model.ts";

/** The options that name a judge, for every command that scores rollouts. */
export const judgeArguments = {
  judge: valueOption(
    "The model that judges replies, named as with -m; several with commas vote (default: the environment's, if it needs one)",
    "model",
  ),
  "judge-base-url": valueOption("URL of the judge's server, including /v1", "url"),
  "judge-concurrency": valueOption(
    "Maximum number of concurrent questions to a judge (default 32)",
    "count",
  ),
  "judge-timeout": valueOption("Maximum time of one answer of a judge (default 300)", "seconds"),
  "judge-cache": valueOption(
    "File that keeps the judge's answers for later runs (default: only for this run)",
    "file",
  ),
} as const satisfies ArgsDef;

/** The judges that a command asks, with their settings, as plans store them. */
export interface JudgePlan {
  /** The names of models, several with commas. Default: the environment's judge, if it needs one. */
  readonly judge?: string | undefined;
  readonly judgeBaseURL?: string | undefined;
  readonly judgeConcurrency?: number | undefined;
  /** In milliseconds. */
  readonly judgeTimeout?: number | undefined;
  readonly judgeCache?: string | undefined;
}

/** Reads the options of {@link judgeArguments}. */
export function judgePlan(args: OptionValues<keyof typeof judgeArguments>): JudgePlan {
  const text = textOptions(args);
  return {
    judge: text("judge"),
    judgeBaseURL: text("judge-base-url"),
    judgeConcurrency: integerOption("judge-concurrency", text("judge-concurrency")),
    judgeTimeout: secondsOption("judge-timeout", text("judge-timeout")),
    judgeCache: text("judge-cache"),
  };
}

/** The judges of a run. Call `close()` to release their resources. */
export interface LoadedJudge {
  /** The names that the judges were loaded by, with commas. */
  readonly name: string;
  readonly models: readonly Model[];
  readonly store: JudgeStore | undefined;
  readonly prices: Readonly<Record<string, KnownPrice>>;
  /** What the judges' answers cost; `undefined` if the price of one is unknown. */
  readonly costOf: (usages: JudgeUsages) => number | undefined;
  readonly close: () => Promise<void>;
}

/**
 * Loads the judges that a plan names, else the environment's own. Returns `undefined` for an environment without judged scores;
 * throws a `ConfigError` if a required judge is neither named nor known.
 */
export async function loadJudge(
  environment: Environment,
  plan: JudgePlan,
  endpoints: Readonly<Record<string, Endpoint>>,
): Promise<LoadedJudge | undefined> {
  const names = judgeNames(environment, plan);
  if (names === undefined) return undefined;
  const judges: LoadedModel[] = [];
  for (const part of names) judges.push(await loadOne(environment, part, { plan, endpoints }));
  const models = judges.map(({ model }) => model);
  const prices = Object.fromEntries(
    judges.flatMap(({ model, price }) =>
      price === undefined ? [] : [[model.id ?? "judge", price] as const],
    ),
  );
  return {
    name: plan.judge ?? names.join(","),
    models,
    prices,
    store: await storeOf(
      plan,
      names.map((part) => endpoints[part] ?? plan.judgeBaseURL ?? null),
    ),
    costOf: (usages) => costOfJudges(usages, prices),
    close: async () => void (await Promise.all(judges.map((judge) => judge.close()))),
  };
}

/**
 * The names of the judges that a plan names, else of the environment's own; `undefined` for an environment without judged scores.
 * Throws for a name that cannot judge, and if a required judge is neither named nor known.
 */
export function judgeNames(
  environment: Environment,
  plan: JudgePlan,
): readonly string[] | undefined {
  const name = plan.judge ?? defaultJudge(environment);
  if (name === undefined) {
    if (judgedScores(environment).length > 0) throw missingJudge(environment);
    return undefined;
  }
  const names = name.split(",").map((part) => part.trim());
  if (names.some((part) => part === ""))
    throw new UsageError(
      `--judge ${JSON.stringify(name)} has an empty name. Example: --judge gpt-5-mini`,
    );
  const policy = names.find((part) => part.startsWith("policy:"));
  if (policy === undefined) return names;
  throw new UsageError(
    `${policy} cannot judge: a policy plays its environment. Pass a language model to --judge.`,
  );
}

/** The judges with the limits of a plan, for rollouts of several runs to share. */
export function sharedModels(judge: LoadedJudge, plan: JudgePlan): readonly Model[] {
  const { judgeConcurrency, judgeTimeout } = plan;
  return sharedJudges(judge.models, { judgeConcurrency, judgeTimeout, judgeStore: judge.store });
}

async function loadOne(
  environment: Environment,
  name: string,
  {
    plan: { judge, judgeBaseURL: baseURL, judgeConcurrency: concurrency = 32 },
    endpoints,
  }: {
    readonly plan: JudgePlan;
    readonly endpoints: Readonly<Record<string, Endpoint>>;
  },
): Promise<LoadedModel> {
  try {
    const loaded = await loadModel(name, { endpoints, baseURL, concurrency });
    checkJudge(environment, { judge: loaded.model });
    return loaded;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const role = judge === undefined ? `the judge of ${environment.name}` : "the judge";
    throw new ConfigError(
      `Cannot ask ${role}, ${name}. ${error.message} To ask another judge, pass --judge and, for your own server, --judge-base-url.`,
      [],
      { cause: error },
    );
  }
}

/** Judges of the same name on other servers, or with other settings, do not share answers. */
async function storeOf(
  { judgeCache: file }: JudgePlan,
  settings: readonly unknown[],
): Promise<JudgeStore | undefined> {
  if (file === undefined) return undefined;
  const store = await judgeFile(file);
  const servers = contentHash(settings);
  return {
    get: (key) => store.get(`${servers}-${key}`),
    set: (key, response) => store.set(`${servers}-${key}`, response),
  };
}

function costOfJudges(usages: JudgeUsages, prices: LoadedJudge["prices"]): number | undefined {
  let cost = 0;
  for (const [id, usage] of Object.entries(usages)) {
    const price = prices[id];
    if (price === undefined) return undefined;
    cost += costOf(usage, price);
  }
  return cost;
}
