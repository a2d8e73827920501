import { isAbsolute, join, relative, resolve } from "node:path";

import { checkScope } from "@envs/hub-cli/queries";
import {
  askChoice,
  askText,
  choiceOption,
  paint,
  shellArgument,
  success,
  UsageError,
} from "@envs/terminal";
import { defineCommand } from "citty";

import {
  checkName,
  isClone,
  isInClone,
  type Kind,
  kinds,
  writeScaffold,
  type WrittenScaffold,
} from "../environments/scaffold.ts";

const kindNames = Object.keys(kinds) as Kind[];

export const command = defineCommand({
  meta: {
    name: "init",
    description: "Create a new environment package with tests that pass",
  },
  args: {
    name: {
      type: "positional",
      required: false,
      description: "Name of the environment, such as word-length",
    },
    kind: {
      type: "string",
      alias: "k",
      description: `Kind of environment: ${kindNames.join(", ")} (default single)`,
    },
    scope: { type: "string", description: "Scope of the package, such as @you" },
    description: {
      type: "string",
      description: "What the model has to do, in one sentence",
      valueHint: "text",
    },
    directory: {
      type: "string",
      description:
        "Folder to write to (default ./<name>; in a clone of the repository, environments/<name>)",
      valueHint: "folder",
    },
    yes: { type: "boolean", alias: "y", description: "Do not prompt; use the defaults" },
  },
  async run({ args }): Promise<void> {
    const isInteractive = process.stdin.isTTY && process.stdout.isTTY && args.yes !== true;
    const name = args.name ?? (isInteractive ? await askName() : undefined);
    if (name === undefined) throw new UsageError("Missing name. Example: envs init word-length");
    checkName(name);
    const scope = args.scope?.replace(/^@/, "");
    if (scope !== undefined) checkScope(scope);
    const kind =
      choiceOption("kind", args.kind, kindNames) ?? (isInteractive ? await askKind() : "single");
    const parent = isClone(process.cwd()) ? "environments" : ".";
    const folder = resolve(args.directory ?? join(parent, name));
    const description = args.description ?? `An environment: ${kinds[kind]}.`;
    const written = await writeScaffold(
      { name, kind, scope, description, folder, isInClone: isInClone(folder) },
      process.env["npm_config_user_agent"],
    );
    process.stdout.write(`${resultText(folder, written)}\n`);
  },
});

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

function nameProblem(name: string | undefined): string | undefined {
  try {
    checkName(name ?? "");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function resultText(folder: string, { files, commands, hub }: WrittenScaffold): string {
  const relativePath = relative(process.cwd(), folder);
  const isOutside = isAbsolute(relativePath) || relativePath.startsWith("..");
  const path = relativePath === "" ? "." : isOutside ? folder : relativePath;
  return [
    success(paint("bold", path)),
    ...files.map((file) => paint("dim", `  ${file}`)),
    "",
    "Next:",
    `  cd ${shellArgument(path)}`,
    ...commands.map((line) => `  ${line}`),
    ...(hub === undefined ? [] : ["", `Its .npmrc and .yarnrc.yml get our packages from ${hub}.`]),
  ].join("\n");
}
