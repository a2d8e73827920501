import { join } from "node:path";

import {
  type EnvsCommand,
  FailureError,
  integerOption,
  paint,
  positionals,
  UsageError,
  type ArgsDef,
  loadConfigFile,
  prepareFile,
  writeFileAtomically,
  argument,
  valueOption,
  flag,
} from "@envs/cli/kit";
import {
  configFromArguments,
  withConfigFlags,
  trainingSplit,
  loadEnvironment,
} from "@envs/cli/kit/environments";
import { failureText, nearPath } from "@envs/cli/kit/layout";
import {
  evaluationArguments,
  type EvaluationPlan,
  planFromArguments,
  findResumableRun,
  resumedPlan,
  runPlan,
  fieldsOfEnvironment,
  fieldsOfRollouts,
  selectRollouts,
  ofSelectedExamples,
} from "@envs/cli/kit/runs";
import type { Rollout, Summary } from "@envs/core";
import { createSummarizer } from "@envs/core/engine";
import { totals } from "@envs/records";
import { type Clause, parseClauses } from "@envs/viewer";

import { toChatJsonl } from "./export/export-files.ts";
import { filterRollouts } from "./export/filter-rollouts.ts";
import { isRunFolder, readRunWithTools } from "./export/run-source.ts";
import { createSynthReport } from "./export/synth-report.ts";
import { synthReportJson, synthReportText } from "./export/synth-text.ts";

const {
  environment: _,
  plan: __,
  prompts: ___,
  push: _push,
  registry: _registry,
  ...evaluation
} = evaluationArguments;

const synthArguments = {
  environment: argument("A package or a path, or the folder of a saved run"),
  where: valueOption(
    "Keep only matching rollouts, such as 'win > 0 && format == 1'; see envs view",
    "expression",
    "w",
  ),
  out: valueOption("Output file (default chats.jsonl in the run's folder)", "file", "o"),
  "sequence-length": valueOption(
    "Report the share of conversations that fit into this many tokens",
    "count",
  ),
  "keep-truncated": flag("Keep rollouts that a limit ended"),
  "keep-duplicates": flag("Keep every copy of a conversation"),
  bare: flag("Write only messages and tools, without metadata"),
  ...evaluation,
  rollouts: { ...evaluation.rollouts, description: "Rollouts per example (default 1)" },
  split: {
    ...evaluation.split,
    description: "Dataset split (default train, else the first that is not eval)",
  },
} as const satisfies ArgsDef;

export const command: EnvsCommand<typeof synthArguments> = {
  meta: {
    name: "synth",
    description:
      "Create training data: play an environment, keep the rollouts that match --where, and write them as chat JSONL. Saves the run like envs eval",
  },
  everydayOptions: [
    "where",
    "out",
    "model",
    "examples",
    "rollouts",
    "seed",
    "sequence-length",
    "temperature",
    "max-tokens",
    "base-url",
    "judge",
    "json",
  ],
  args: synthArguments,

  bareValues: { "--resume": "latest" },

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    const [reference] = positionals(rawArgs, synthArguments);
    if (reference !== undefined && isRunFolder(reference)) return synthArguments;
    return withConfigFlags(rawArgs, synthArguments);
  },

  async run({ args }): Promise<number> {
    const sequenceLength = integerOption("sequence-length", args["sequence-length"]);
    if (args.out !== undefined) await prepareFile(args.out);
    const sourceRun = await findOrPlayRun(args);
    if (sourceRun === undefined) return 1;

    const { run, tools } = await readRunWithTools(sourceRun.path);
    // Sorted by example, so that the same seed gives the same file.
    const rollouts = selectRollouts(await ofSelectedExamples(run.rollouts, args.select));
    const clauses = sourceRun.clauses ?? parseClauses(args.where, fieldsOfRollouts(rollouts));
    const result = filterRollouts(rollouts, {
      clauses,
      includeTruncated: args["keep-truncated"] === true,
      includeDuplicates: args["keep-duplicates"] === true,
    });
    const report = createSynthReport(rollouts, result, sequenceLength);
    const hasRollouts = result.kept.length > 0;
    const file = args.out ?? join(run.path, "chats.jsonl");
    if (hasRollouts)
      await writeFileAtomically(file, {
        text: toChatJsonl(result.kept, {
          isBare: args.bare === true,
          model: run.metadata.model,
          tools,
        }),
      });
    const summary = summarize(rollouts);
    if (args.json === true)
      process.stdout.write(
        `${JSON.stringify({ run: run.path, file: hasRollouts ? file : null, ...synthReportJson(report), failure_reasons: totals(summary)["failure_reasons"] })}\n`,
      );
    else {
      // A run that was just played has printed its failures in its summary.
      const failures = sourceRun.clauses === undefined ? failureText(summary, run.path) : "";
      process.stdout.write(
        `\n${synthReportText(report)}\n${failures === "" ? "" : `\n${failures}\n`}`,
      );
    }
    if (!hasRollouts) throw new FailureError("No rollout matches, so no file was written.");
    if (args.json !== true)
      process.stdout.write(`${paint("dim", "written".padEnd(9))} ${nearPath(file)}\n`);
    return 0;
  },
};

function summarize(rollouts: readonly Rollout[]): Summary {
  const sum = createSummarizer([]);
  for (const rollout of rollouts) sum.add(rollout);
  return sum.summary();
}

type Arguments = Parameters<NonNullable<typeof command.run>>[0]["args"];

interface SourceRun {
  readonly path: string;
  /** `undefined` if `--where` has not been parsed yet: a saved run's fields are known only once it is read. */
  readonly clauses?: readonly Clause[];
}

/** Returns the saved run that the user named, or plays a new one. Returns `undefined` if the user interrupted it. */
async function findOrPlayRun(args: Arguments): Promise<SourceRun | undefined> {
  if (args.environment !== undefined && isRunFolder(args.environment)) {
    if (args.model === undefined) return { path: args.environment };
    throw new UsageError(
      `${args.environment} is a saved run, so -m does not apply. Remove -m, or name an environment.`,
    );
  }
  const { endpoints } = await loadConfigFile(args["config-file"]);
  const resume =
    args.resume === undefined ? undefined : await findResumableRun(args.resume, args.save);
  const plan = resume === undefined ? await newPlan(args) : await resumedPlan(resume, args);
  const { factory } = await loadEnvironment(plan.environment);
  const environment = factory(plan.config);
  // Reports a mistake in the expression before the run, which may take hours.
  const clauses = parseClauses(args.where, fieldsOfEnvironment(environment));
  const split =
    resume === undefined ? (plan.split ?? (await trainingSplit(environment))) : plan.split;
  const { path, isComplete } = await runPlan(
    { ...plan, split },
    {
      command: "envs synth",
      endpoints,
      outputs: args.save,
      resume,
      isJson: args.json === true,
      isQuiet: args.quiet === true,
      queue: args,
    },
  );
  return isComplete ? { path, clauses } : undefined;
}

async function newPlan(args: Arguments): Promise<EvaluationPlan> {
  const config = await configFromArguments(args, synthArguments);
  return planFromArguments({ ...args, rollouts: args.rollouts ?? "1" }, config);
}
