import {
  didYouMean,
  type EnvsCommand,
  integerOption,
  paint,
  positionals,
  UsageError,
  type ArgsDef,
  writeFileAtomically,
  importPackage,
  argument,
  valueOption,
  flag,
} from "@envs/cli/kit";
import { configFromArguments, withConfigFlags } from "@envs/cli/kit/environments";
import { nearPath } from "@envs/cli/kit/layout";
import { evaluationArguments } from "@envs/cli/kit/runs";
import type * as Serve from "@envs/serve";

import { type ExportResult, writeFiles } from "./export/export-files.ts";
import { type ExportFormatName, exportFormats, isExportFormat } from "./export/formats.ts";
import { tasksets } from "./export/formats/prime-rl.ts";
import { readRunSource } from "./export/run-source.ts";
import { loadTrainingSource, maxDefaultCount } from "./export/training-source.ts";

const formatNames = Object.keys(exportFormats) as ExportFormatName[];

const exportArguments = {
  form: {
    type: "positional",
    required: false,
    description: formatNames.map((name) => `${name}: ${exportFormats[name].summary}`).join("; "),
  },
  environment: argument(
    "A package or a path; for sft, samples, atif, harbor-job and parquet a run folder",
  ),
  url: valueOption("URL of envs serve (default http://127.0.0.1:8000)", "url"),
  split: valueOption("Dataset split (default train, else the first)"),
  count: valueOption(
    `Number of examples, from the first (default all, at most ${maxDefaultCount})`,
    "count",
    "n",
  ),
  seed: valueOption("Seed of the dataset; must equal that of envs serve (default 0)", "number"),
  seat: valueOption("For nemo and verl: the seat of the model (default the first)", "name"),
  model: {
    ...valueOption("Name of the model to train, for the trainer (default Qwen/Qwen3-0.6B)"),
    alias: "m",
  },
  taskset: valueOption(
    `For prime-rl: ${tasksets.join(" or ")} (default nemo-gym with tools, else openenv)`,
    "name",
  ),
  where: valueOption(
    "Of a run: export only matching rollouts, such as 'win > 0 && format == 1'; see envs view",
    "expression",
    "w",
  ),
  bare: flag("For sft: write only messages and tools, without metadata"),
  calls: flag(
    "For sft: write plain replies as calls of the tool respond, for trainers that support only tools",
  ),
  seats: flag(
    "For sft, samples and parquet: export every seat that a model has played, each with its own reward",
  ),
  branches: flag(
    "For sft and samples: export each sub-model call too, as a conversation; for sft also an agent's conversations with its model",
  ),
  config: evaluationArguments.config,
  out: valueOption(
    "Output file (default standard output); for verl, harbor, atif and harbor-job the folder (default: named after the environment or run)",
    "path",
    "o",
  ),
} as const satisfies ArgsDef;

type Arguments = Parameters<NonNullable<typeof command.run>>[0]["args"];

export const command: EnvsCommand<typeof exportArguments> = {
  meta: {
    name: "export",
    description:
      "Write a trainer's configuration for a served environment, or training data from a run. The options of the environment's config are options of this command too",
  },
  everydayOptions: [
    "url",
    "split",
    "count",
    "seed",
    "model",
    "taskset",
    "where",
    "branches",
    "config",
    "out",
    "calls",
    "seats",
  ],
  args: exportArguments,

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    const [name] = positionals(rawArgs, exportArguments);
    if (name === undefined || !isExportFormat(name) || exportFormats[name].input === "run")
      return exportArguments;
    return withConfigFlags(rawArgs, exportArguments, 1);
  },

  async run({ args }): Promise<number> {
    const name = formatName(args.form);
    const format = exportFormats[name];
    if (args.environment === undefined)
      throw new UsageError(
        format.input === "run"
          ? `Missing run folder. Example: envs export ${name} outputs/evals/…`
          : `Missing environment. Example: envs export ${name} tictactoe`,
      );
    rejectUnusedOptions(name, args);
    if (name === "parquet" && args.out === undefined && process.stdout.isTTY)
      throw new UsageError("Parquet is not text. Pass a file: -o rollouts.parquet");
    const { files, notes = [] } = await createExport(name, args.environment, args);
    if ("folder" in format) {
      const folder = args.out ?? `${args.environment.split("/").at(-1)}-${format.folder}`;
      await writeFiles(folder, files);
      printNote(`written   ${nearPath(folder)}`);
    } else {
      const [file] = files;
      if (args.out === undefined) process.stdout.write(file!.text);
      else {
        await writeFileAtomically(args.out, file!);
        printNote(`written   ${nearPath(args.out)}`);
      }
    }
    for (const note of notes) printNote(note);
    return 0;
  },
};

/** Prints to standard error: the export itself may go to standard output. */
function printNote(text: string): void {
  process.stderr.write(`${paint("dim", text, process.stderr)}\n`);
}

function formatName(text: string | undefined): ExportFormatName {
  if (text !== undefined && isExportFormat(text)) return text;
  const choices = `Choose one of: ${formatNames.join(", ")}.`;
  if (text === undefined) throw new UsageError(`Missing format. ${choices}`);
  throw new UsageError(
    `Unknown format ${JSON.stringify(text)}.${didYouMean(text, formatNames)} ${choices}`,
  );
}

function rejectUnusedOptions(name: ExportFormatName, args: Arguments): void {
  const { options } = exportFormats[name];
  const allowed = new Set(["form", "environment", "out", ...options]);
  const unused = Object.keys(exportArguments).find(
    (option) => !allowed.has(option) && args[option as keyof typeof exportArguments] !== undefined,
  );
  if (unused !== undefined)
    throw new UsageError(
      `--${unused} does not apply to ${name}. Its options: ${options.map((option) => `--${option}`).join(", ")}.`,
    );
}

async function createExport(
  name: ExportFormatName,
  reference: string,
  args: Arguments,
): Promise<ExportResult<string | Uint8Array>> {
  const format = exportFormats[name];
  if (format.input === "run")
    return format.create(await readRunSource(reference, args.where), {
      isBare: args.bare === true,
      servedTools: args.calls === true ? await toolServer() : undefined,
      branches: args.branches === true,
      seats: args.seats === true,
    });
  const source = await loadTrainingSource(reference, {
    config: await configFromArguments(args, exportArguments),
    url: baseUrl(args.url),
    split: args.split,
    count: integerOption("count", args.count),
    seed: integerOption("seed", args.seed, Number.MIN_SAFE_INTEGER) ?? 0,
    seat: args.seat,
    model: args.model ?? "Qwen/Qwen3-0.6B",
  });
  return format.create(source, { taskset: args.taskset });
}

function baseUrl(text = "http://127.0.0.1:8000"): string {
  if (!/^https?:\/\//u.test(text) || !URL.canParse(text))
    throw new UsageError(
      `--url is ${JSON.stringify(text)}. It must be a URL such as http://127.0.0.1:8000.`,
    );
  return text.replace(/\/+$/u, "");
}

/** How `envs serve` names tools, and the tool that takes plain replies. */
async function toolServer(): Promise<typeof Serve.servedTools> {
  return (await importPackage<typeof Serve>("serve", "--calls")).servedTools;
}
