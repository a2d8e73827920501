import {
  didYouMean,
  type EnvsCommand,
  integerOption,
  paint,
  positionals,
  UsageError,
} from "@envs/terminal";
import type { ArgsDef } from "citty";

import { configFrom, withConfigArguments } from "../environments/config-arguments.ts";
import type { Exported } from "../export/format.ts";
import { forms, isForm, type FormName } from "../export/formats.ts";
import { tasksets } from "../export/formats/prime-rl.ts";
import { readKept } from "../export/run-source.ts";
import { defaultCount, trainingSource } from "../export/training-source.ts";
import { writeFolder, writeWhole } from "../export/write-files.ts";
import { nearPath } from "../render/run-summary.ts";

const names = Object.keys(forms) as FormName[];

const exportArguments = {
  form: {
    type: "positional",
    required: false,
    description: names.map((name) => `${name}: ${forms[name].summary}`).join("; "),
  },
  environment: {
    type: "positional",
    required: false,
    description: "A package or a path; for sft and samples the folder of a run",
  },
  url: {
    type: "string",
    description: "Where envs serve is (default http://127.0.0.1:8000)",
    valueHint: "url",
  },
  split: {
    type: "string",
    description: "Which part of the dataset (default train, else the first)",
  },
  count: {
    type: "string",
    alias: "n",
    description: `How many examples, from the first (default all, at most ${defaultCount})`,
    valueHint: "count",
  },
  seed: {
    type: "string",
    description: "Of the dataset: the one that envs serve has (default 0)",
    valueHint: "number",
  },
  model: {
    type: "string",
    alias: "m",
    description: "The model to be trained, as its trainer names it (default Qwen/Qwen3-0.6B)",
  },
  taskset: {
    type: "string",
    description: `For prime-rl: ${tasksets.join(" or ")} (default nemo-gym with tools, else openenv)`,
    valueHint: "name",
  },
  where: {
    type: "string",
    alias: "w",
    description: "Of a run, only these rollouts, such as 'win > 0 && format == 1'; see envs view",
    valueHint: "expression",
  },
  bare: {
    type: "boolean",
    description: "For sft: messages and tools alone, without where they come from",
  },
  calls: {
    type: "boolean",
    description:
      "For sft: plain replies as calls of the tool respond, as trainers that know only tools hear them",
  },
  config: {
    type: "string",
    description: "The environment's config as JSON; single flags win",
    valueHint: "json",
  },
  out: {
    type: "string",
    alias: "o",
    description:
      "The file to write (default: standard output); for verl and harbor the folder (default <environment>-gym, <environment>-harbor)",
    valueHint: "path",
  },
} as const satisfies ArgsDef;

type Arguments = Parameters<NonNullable<typeof command.run>>[0]["args"];

export const command: EnvsCommand<typeof exportArguments> = {
  meta: {
    name: "export",
    description:
      "Write what a trainer needs: its configuration for an environment that envs serve has, or data of a run. Each option of the environment's config is an option here too",
  },
  args: exportArguments,

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    const [form] = positionals(rawArgs, exportArguments);
    if (form === undefined || !isForm(form) || forms[form].of === "run") return exportArguments;
    return withConfigArguments(rawArgs, exportArguments, 1);
  },

  async run({ args }): Promise<number> {
    const name = formOf(args.form);
    if (args.environment === undefined)
      throw new UsageError(
        forms[name].of === "run"
          ? `Name the folder of a run, for instance: envs export ${name} outputs/evals/…`
          : `Name an environment, for instance: envs export ${name} tictactoe`,
      );
    refuseUnused(name, args);
    const exported = await exportAs(name, args.environment, args);
    const form = forms[name];
    if ("folder" in form) {
      const folder = args.out ?? `${args.environment.split("/").at(-1)}-${form.folder}`;
      await writeFolder(folder, exported.files);
      tell(`written   ${nearPath(folder)}`);
    } else {
      const [file] = exported.files;
      if (args.out === undefined) process.stdout.write(file!.text);
      else {
        await writeWhole(args.out, file!);
        tell(`written   ${nearPath(args.out)}`);
      }
    }
    for (const note of exported.notes ?? []) tell(note);
    return 0;
  },
};

/** To standard error: what is written may be on standard output. */
function tell(text: string): void {
  process.stderr.write(`${paint("dim", text, process.stderr)}\n`);
}

function formOf(text: string | undefined): FormName {
  if (text !== undefined && isForm(text)) return text;
  const known = `Choose: ${names.join(", ")}.`;
  if (text === undefined) throw new UsageError(`Name what to write. ${known}`);
  throw new UsageError(
    `There is no form ${JSON.stringify(text)}.${didYouMean(text, names)} ${known}`,
  );
}

/** An option that does nothing is told: somebody meant something by it. */
function refuseUnused(name: FormName, args: Arguments): void {
  const { options } = forms[name];
  const always = new Set(["form", "environment", "out", ...options]);
  const stray = Object.keys(exportArguments).find(
    (option) => !always.has(option) && args[option as keyof typeof exportArguments] !== undefined,
  );
  if (stray !== undefined)
    throw new UsageError(
      `--${stray} is not for ${name}. It takes: ${options.map((option) => `--${option}`).join(", ")}.`,
    );
}

async function exportAs(name: FormName, reference: string, args: Arguments): Promise<Exported> {
  const form = forms[name];
  if (form.of === "run")
    return form.make(await readKept(reference, args.where), {
      isBare: args.bare === true,
      isCalls: args.calls === true,
    });
  const source = await trainingSource(reference, {
    config: await configFrom(args, exportArguments),
    url: baseUrl(args.url),
    split: args.split,
    count: integerOption("count", args.count),
    seed: integerOption("seed", args.seed, Number.MIN_SAFE_INTEGER) ?? 0,
    model: args.model ?? "Qwen/Qwen3-0.6B",
  });
  return form.make(source, { taskset: args.taskset });
}

function baseUrl(text = "http://127.0.0.1:8000"): string {
  if (!/^https?:\/\//u.test(text) || !URL.canParse(text))
    throw new UsageError(
      `--url is ${JSON.stringify(text)}. It must be an address such as http://127.0.0.1:8000.`,
    );
  return text.replace(/\/+$/u, "");
}
