import { join } from "node:path";

import {
  type EnvsCommand,
  FailureError,
  integerOption,
  paint,
  positionals,
  UsageError,
} from "@envs/terminal";
import type { ArgsDef } from "citty";

import { loadConfigFile } from "../config-file.ts";
import { configFrom, withConfigArguments } from "../environments/config-arguments.ts";
import { loadEnvironment } from "../environments/load-environment.ts";
import { evaluationArguments, planFromArguments } from "../evaluation/evaluation-plan.ts";
import { findResumable, type ResumableRun } from "../evaluation/resume.ts";
import { runPlan } from "../evaluation/run-plan.ts";
import { chatLines } from "../export/chat-jsonl.ts";
import { sift } from "../export/filter-rollouts.ts";
import { isRun, readSource, splitToLearnFrom } from "../export/saved-run.ts";
import { reportOf } from "../export/synth-report.ts";
import { writeWhole } from "../export/write-files.ts";
import { nearPath } from "../render/run-summary.ts";
import { synthJson, synthReport } from "../render/synth-report.ts";
import { fieldsOf, fieldsToCome } from "../runs/rollout-fields.ts";
import { select } from "../runs/select-rollouts.ts";
import { type Clause, parseClauses } from "../runs/where.ts";

const { environment: _, plan: __, ...evaluation } = evaluationArguments;

const synthArguments = {
  environment: {
    type: "positional",
    required: false,
    description: "A package or a path; or the folder of a run that is there already",
  },
  where: {
    type: "string",
    alias: "w",
    description: "Keep only these rollouts, such as 'win > 0 && format == 1'; see envs view",
    valueHint: "expression",
  },
  out: {
    type: "string",
    alias: "o",
    description: "The file to write (default chats.jsonl in the run's folder)",
    valueHint: "file",
  },
  "sequence-length": {
    type: "string",
    description: "Tell which share fits a sequence of so many tokens",
    valueHint: "count",
  },
  "keep-truncated": {
    type: "boolean",
    description: "Keep rollouts that a limit ended, too",
  },
  "keep-duplicates": {
    type: "boolean",
    description: "Keep every copy of a conversation",
  },
  bare: {
    type: "boolean",
    description: "Write messages and tools alone, without where they come from",
  },
  ...evaluation,
  rollouts: { ...evaluation.rollouts, description: "Rollouts of each example (default 1)" },
  split: {
    ...evaluation.split,
    description: "Which part of the dataset (default train, else the first that is not eval)",
  },
} as const satisfies ArgsDef;

export const command: EnvsCommand<typeof synthArguments> = {
  meta: {
    name: "synth",
    description:
      "Make training data: play, keep the rollouts that are good enough, write them as chat JSONL. The run is saved as that of envs eval",
  },
  args: synthArguments,

  bareValues: { "--resume": "latest" },

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    const [reference] = positionals(rawArgs, synthArguments);
    if (reference !== undefined && isRun(reference)) return synthArguments;
    return withConfigArguments(rawArgs, synthArguments);
  },

  async run({ args }): Promise<number> {
    const sequenceLength = integerOption("sequence-length", args["sequence-length"]);
    const played = await playedRun(args);
    if (played.path === undefined) return 1;

    const { run, tools } = await readSource(played.path);
    const { metadata } = run;
    // Example by example, not as they happened to finish: one seed, one file.
    const rollouts = select(run.rollouts, {});
    const clauses = played.clauses ?? clausesOf(args.where, fieldsOf(rollouts));
    const sifted = sift(rollouts, {
      clauses,
      keepsTruncated: args["keep-truncated"] === true,
      keepsDuplicates: args["keep-duplicates"] === true,
    });
    const report = reportOf(rollouts, sifted, { sequenceLength });
    const isWritten = sifted.kept.length > 0;
    const file = args.out ?? join(run.path, "chats.jsonl");
    if (isWritten)
      await writeWhole(file, {
        text: chatLines(sifted.kept, {
          isBare: args.bare === true,
          model: metadata.model,
          ...(tools === undefined ? {} : { tools }),
        }),
      });
    if (args.json === true)
      process.stdout.write(
        `${JSON.stringify({ run: run.path, file: isWritten ? file : null, ...synthJson(report) })}\n`,
      );
    else process.stdout.write(`\n${synthReport(report)}\n`);
    if (!isWritten) throw new FailureError("No rollout is left, so nothing was written.");
    if (args.json !== true)
      process.stdout.write(`${paint("dim", "written".padEnd(9))} ${nearPath(file)}\n`);
    return 0;
  },
};

type Arguments = Parameters<NonNullable<typeof command.run>>[0]["args"];

/** The run to take from: one that is there, or one that is played now. No path: it was cut short. */
async function playedRun(
  args: Arguments,
): Promise<{ readonly path: string | undefined; readonly clauses?: readonly Clause[] }> {
  if (args.environment !== undefined && isRun(args.environment)) {
    if (args.model === undefined) return { path: args.environment };
    throw new UsageError(`${args.environment} is a run that was played already: leave out -m.`);
  }
  const { endpoints } = await loadConfigFile(args["config-file"]);
  const resume: ResumableRun | undefined =
    args.resume === undefined ? undefined : await findResumable(args.resume, args.save);
  const asked = resume?.plan ?? (await askedPlan(args));
  const { factory } = await loadEnvironment(asked.environment);
  const environment = factory(asked.config);
  // A mistake in the expression is told before hours of play, not after.
  const clauses = clausesOf(args.where, fieldsToCome(environment));
  const split = asked.split ?? (await splitToLearnFrom(environment));
  const { path, isComplete } = await runPlan(resume === undefined ? { ...asked, split } : asked, {
    command: "envs synth",
    endpoints,
    outputs: args.save,
    resume,
    isJson: args.json === true,
    isQuiet: args.quiet === true,
  });
  return { path: isComplete ? path : undefined, clauses };
}

async function askedPlan(args: Arguments) {
  const config = await configFrom(args, synthArguments);
  return planFromArguments({ ...args, rollouts: args.rollouts ?? "1" }, config);
}

function clausesOf(
  where: string | undefined,
  fields: ReturnType<typeof fieldsOf>,
): readonly Clause[] {
  return where === undefined || where.trim() === "" ? [] : parseClauses(where, fields);
}
