import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";

import { ConfigError } from "@envs/core";
import { UsageError, integerOption, onInterrupt, paint, type EnvsCommand } from "@envs/terminal";
import type { TrainingPlan } from "@envs/trainer";
import {
  findTrainingRuns,
  readRecord,
  readState,
  runTraining,
  type TrainingRecord,
  trainingRuns,
  writeReport,
} from "@envs/trainer/node";
import type { ArgsDef } from "citty";

import { configFromArguments, withConfigFlags } from "../environments/config-arguments.ts";
import { loadEnvironment, type LoadedEnvironment } from "../environments/load-environment.ts";
import { nearPath } from "../render/run-summary.ts";
import { closing } from "../render/training-outcome.ts";
import { dashboard } from "../training/dashboard.ts";
import { choose, threadWarning } from "../training/plan-overrides.ts";
import { loadRecipe, type Recipe } from "../training/recipe.ts";
import { readEarlierRows } from "../training/resume-training.ts";
import { loadConversations } from "../training/sft-conversations.ts";
import { rejectSmokeConflicts, smokeTest } from "../training/smoke-test.ts";
import { version } from "../version.ts";

const trainArguments = {
  environment: {
    type: "positional",
    required: false,
    description: "A package or a path",
  },
  config: {
    type: "string",
    alias: "c",
    description: "The training recipe (default: the one that the environment brings)",
    valueHint: "file",
  },
  phases: {
    type: "string",
    description: "Only these phases of the recipe, such as sft,rl",
    valueHint: "names",
  },
  from: {
    type: "string",
    description:
      "The model to start from: tiny:<name>, a checkpoint, or the folder of a training run",
    valueHint: "model",
  },
  seed: { type: "string", description: "Decides everything (default: the recipe's)" },
  threads: {
    type: "string",
    description: "Threads of the tiny model (default: the recipe's)",
    valueHint: "count",
  },
  resume: {
    type: "string",
    description: "Go on with a run: its folder, or alone for the newest that is not complete",
    valueHint: "run",
  },
  smoke: {
    type: "boolean",
    description:
      "Find out in a minute whether a tiny model can learn here, and say so; takes the options of the environment's config",
  },
  save: {
    type: "string",
    description: "The folder that runs are saved below",
    default: "outputs",
    valueHint: "folder",
  },
  json: { type: "boolean", description: "Print the result as JSON" },
  quiet: { type: "boolean", alias: "q", description: "Do not show how it is coming along" },
} as const satisfies ArgsDef;

export const command: EnvsCommand<typeof trainArguments> = {
  meta: {
    name: "train",
    description:
      "Train a tiny language model on an environment, phase by phase: supervised on chosen rollouts, then by reinforcement. A stopped run goes on with --resume",
  },
  args: trainArguments,

  bareValues: { "--resume": "latest" },

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    // A recipe says itself which config its phases play with.
    if (!rawArgs.includes("--smoke")) return trainArguments;
    return withConfigFlags(rawArgs, trainArguments);
  },

  async run({ args }): Promise<number> {
    const seed = integerOption("seed", args.seed, 0);
    const threads = integerOption("threads", args.threads);
    if (args.environment === undefined && args.resume === undefined)
      throw new UsageError("Name an environment, for instance: envs train tictactoe");
    const isJson = args.json === true;
    if (args.smoke === true) {
      rejectSmokeConflicts(args);
      const isQuiet = args.quiet === true;
      const config = await configFromArguments(args, trainArguments);
      const environment = await loadEnvironment(args.environment ?? "");
      return smokeTest(environment, { config, seed, threads, isJson, isQuiet });
    }
    const note = (text: string): void => void (isJson || process.stderr.write(`${text}\n`));

    const resumed = args.resume === undefined ? undefined : await findRun(args);
    const loaded = await loadEnvironment(
      resumed?.record.environment.reference ?? args.environment ?? "",
    );
    const recipe = await recipeFor(loaded, args.config, resumed?.record.plan);
    const plan =
      resumed?.record.plan ??
      choose(recipe.plan, { seed, threads, phases: args.phases?.split(","), from: args.from });
    const warning = threadWarning(plan);
    if (warning !== undefined) note(paint("yellow", warning));
    const { factory } = loaded;
    const path = resumed?.path ?? join(trainingRuns(args.save, factory.definition.name), runName());
    const record = resumed?.record ?? recordOf(loaded, plan, args);
    note(
      `${paint("bold", factory.definition.name)} · ${Object.keys(plan.phases).join(" → ")} · seed ${plan.seed}\n${paint("dim", `saving to ${nearPath(path)}`)}`,
    );

    const interrupt = onInterrupt(() =>
      note(paint("yellow", "\nStopping after this step. Press Ctrl-C again to leave at once.")),
    );
    const before = await readEarlierRows(path, resumed !== undefined);
    const shown =
      isJson || args.quiet === true
        ? undefined
        : dashboard(`${factory.definition.name} · seed ${plan.seed}`, plan, before);
    try {
      const outcome = await runTraining({
        factory,
        path,
        ...(resumed === undefined ? { record } : {}),
        chats: loadConversations(factory, plan.seed),
        ...(recipe.exact === undefined ? {} : { exact: recipe.exact }),
        signal: interrupt.signal,
        onEvent: (event, row) => shown?.handle(event, row),
      });
      shown?.done();
      const report = await writeReport(path);
      process.stdout.write(closing(outcome, { report, isJson }));
      return outcome.isComplete ? 0 : 1;
    } catch (error) {
      shown?.done();
      throw await resumable(error, path);
    } finally {
      interrupt.dispose();
    }
  },
};

/** Training that went wrong can be looked at, and gone on with after the recipe was mended. */
async function resumable(thrown: unknown, path: string): Promise<unknown> {
  const state = await readState(path).catch(() => undefined);
  if (!(thrown instanceof Error) || state === undefined) return thrown;
  await writeReport(path).catch(() => {});
  return new ConfigError(
    `${thrown.message}\nThe run is kept in ${nearPath(path)}, up to step ${state.step} of ${state.phase}. To train on from there with another recipe: envs train … --from ${nearPath(path)}`,
    [],
    { cause: thrown },
  );
}

async function recipeFor(
  loaded: LoadedEnvironment,
  file: string | undefined,
  plan: TrainingPlan | undefined,
): Promise<Recipe> {
  try {
    return await loadRecipe(loaded, file);
  } catch (error) {
    // A run that goes on has its plan; only the exact figures would be missing.
    if (plan !== undefined && file === undefined) return { plan, origin: "the run" };
    throw error;
  }
}

async function findRun(args: {
  readonly environment?: string | undefined;
  readonly resume?: string | undefined;
  readonly save: string;
}): Promise<{ readonly path: string; readonly record: TrainingRecord }> {
  if (args.resume !== "latest") {
    const path = resolve(args.resume ?? "");
    return { path, record: await readRecord(path) };
  }
  if (args.environment === undefined)
    throw new UsageError("Name the environment whose last run is to go on, or the run's folder.");
  const { factory } = await loadEnvironment(args.environment);
  for (const path of await findTrainingRuns(args.save, factory.definition.name)) {
    const record = await readRecord(path);
    if (!record.is_complete) return { path, record };
  }
  throw new ConfigError(
    `There is no incomplete training run of ${factory.definition.name} below ${args.save}.`,
  );
}

/** The options that decide how a run goes. */
const decisive = ["config", "phases", "from", "seed", "threads"] as const;

function recordOf(
  loaded: LoadedEnvironment,
  plan: TrainingPlan,
  args: { readonly [Name in (typeof decisive)[number]]?: string | undefined },
): TrainingRecord {
  const { reference, factory, contentHash } = loaded;
  const options = decisive.flatMap((name) =>
    args[name] === undefined ? [] : [`--${name} ${args[name]}`],
  );
  return {
    schema_version: 1,
    environment: {
      reference,
      name: factory.definition.name,
      version: loaded.version ?? null,
      content_hash: contentHash,
    },
    plan,
    command: ["envs train", reference, ...options].join(" "),
    versions: {
      "@envs/cli": version,
      ...(loaded.packageName === undefined ? {} : { [loaded.packageName]: loaded.version ?? "" }),
      node: process.version,
      machine: `${process.platform} ${process.arch}`,
    },
    date: new Date().toISOString(),
    is_complete: false,
  };
}

/** Sorts by time, and does not collide when two start at once. */
function runName(): string {
  const stamp = new Date().toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${randomBytes(2).toString("hex")}`;
}
