import { isAbsolute, join, relative, resolve } from "node:path";

import type { ArgsDef } from "citty";

import { choiceOption } from "../terminal/arguments.ts";
import type { EnvsCommand } from "../terminal/command.ts";
import { UsageError } from "../terminal/errors.ts";
import { argument, valueOption } from "../terminal/options.ts";
import { success } from "../terminal/output.ts";
import { askChoice, askText } from "../terminal/prompts.ts";
import { shellArgument } from "../terminal/shell.ts";
import { paint } from "../terminal/text.ts";
import { checkName, checkScope, nameProblem } from "./names.ts";
import { nextCommands } from "./next-commands.ts";
import { ownRegistry } from "./own-registry.ts";
import {
  checkFolder,
  isClone,
  isInClone,
  type Kind,
  kinds,
  type Scaffold,
  writeScaffold,
} from "./scaffold.ts";

/** The program that creates environments: `envs init`, or `npm create envs`. */
export interface InitProgram {
  /** What a user types before the name of the environment. */
  readonly usage: string;
  readonly templates: string;
  /** The version of our packages that new packages depend on. */
  readonly version: string;
  /** The registry of our packages if no configuration names one; `undefined`: the default registry. */
  readonly registry: string | undefined;
}

const kindNames = Object.keys(kinds) as Kind[];

const initArguments = {
  name: argument("Name of the environment, such as word-length"),
  kind: {
    ...valueOption(`Kind of environment: ${kindNames.join(", ")} (default single)`),
    alias: "k",
  },
  scope: valueOption("Scope of the package, such as @you"),
  description: valueOption("What the model has to do, in one sentence", "text"),
  directory: valueOption(
    "Folder to write to (default ./<name>; in a clone of the repository, environments/<name>)",
    "folder",
  ),
  registry: valueOption(
    "The registry of our packages, such as your hub (default: a scope's registry in .npmrc, or ENVS_HUB)",
    "url",
  ),
  yes: { type: "boolean", alias: "y", description: "Do not prompt; use the defaults" },
} as const satisfies ArgsDef;

/** Makes the command that creates an environment package. It checks everything before it writes a file. */
export function initCommand(program: InitProgram): EnvsCommand {
  const command: EnvsCommand<typeof initArguments> = {
    meta: {
      name: program.usage.replace("envs init", "init"),
      description: "Create a new environment package with tests that pass",
    },
    args: initArguments,
    async run({ args }): Promise<void> {
      const isInteractive = process.stdin.isTTY && process.stdout.isTTY && args.yes !== true;
      const name = args.name ?? (isInteractive ? await askName() : undefined);
      if (name === undefined)
        throw new UsageError(`Missing name. Example: ${program.usage} word-length`);
      checkName(name);
      const scope = args.scope?.replace(/^@/, "");
      if (scope !== undefined) checkScope(scope);
      const parent = isClone(process.cwd()) ? "environments" : ".";
      const folder = resolve(args.directory ?? join(parent, name));
      await checkFolder(folder);
      const kind =
        choiceOption("kind", args.kind, kindNames) ?? (isInteractive ? await askKind() : "single");
      const isPartOfClone = isInClone(folder);
      const scaffold = {
        name,
        scope,
        kind,
        description: args.description ?? `An environment: ${kinds[kind]}.`,
        folder,
        range: isPartOfClone ? "workspace:^" : `^${program.version}`,
        registry: isPartOfClone
          ? undefined
          : await ownRegistry(folder, program.registry, args.registry),
        commands: nextCommands(process.env["npm_config_user_agent"], isPartOfClone),
      };
      const files = await writeScaffold(scaffold, program.templates);
      process.stdout.write(`${resultText(scaffold, files)}\n`);
    },
  };
  return command as unknown as EnvsCommand;
}

const onCancel = (): UsageError => new UsageError("Cancelled. No file was written.");

async function askName(): Promise<string> {
  return await askText({
    message: "Name of the environment",
    placeholder: "word-length",
    validate: nameProblem,
    onCancel,
  });
}

async function askKind(): Promise<Kind> {
  return await askChoice({ message: "Kind of environment", choices: kinds, onCancel });
}

function resultText({ folder, commands, registry }: Scaffold, files: readonly string[]): string {
  const relativePath = relative(process.cwd(), folder);
  const isOutside = isAbsolute(relativePath) || relativePath.startsWith("..");
  const path = relativePath === "" ? "." : isOutside ? folder : relativePath;
  const { install, check, evaluate, view } = commands;
  return [
    success(paint("bold", path)),
    ...files.map((file) => paint("dim", `  ${file}`)),
    "",
    "Next:",
    ...(path === "." ? [] : [`  cd ${shellArgument(path)}`]),
    ...[install, check, evaluate, view].map((line) => `  ${line}`),
    ...(registry === undefined
      ? []
      : ["", `Its .npmrc and .yarnrc.yml get our packages from ${registry}.`]),
  ].join("\n");
}
