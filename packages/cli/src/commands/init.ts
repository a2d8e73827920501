import { isAbsolute, relative, resolve } from "node:path";

import { checkScope, lacksOwnScope } from "@envs/hub-cli/queries";
import { askChoice, askText, choiceOption, paint, success, UsageError } from "@envs/terminal";
import { defineCommand } from "citty";

import {
  checkName,
  type Kind,
  kinds,
  type Scaffold,
  writeScaffold,
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
      description: "Folder to write to (default ./<name>)",
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
    const scaffold: Scaffold = {
      name,
      kind,
      scope,
      description: args.description ?? `An environment: ${kinds[kind]}.`,
      folder: resolve(args.directory ?? name),
    };
    const files = await writeScaffold(scaffold);
    const commands = await nextCommands(scaffold.folder, process.env["npm_config_user_agent"]);
    process.stdout.write(`${resultText(scaffold, files, commands)}\n`);
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

function resultText(
  { folder }: Scaffold,
  files: readonly string[],
  commands: readonly string[],
): string {
  const relativePath = relative(process.cwd(), folder);
  const isOutside = isAbsolute(relativePath) || relativePath.startsWith("..");
  const path = relativePath === "" ? "." : isOutside ? folder : relativePath;
  return [
    success(paint("bold", path)),
    ...files.map((file) => paint("dim", `  ${file}`)),
    "",
    "Next:",
    `  cd ${path}`,
    ...commands.map((line) => `  ${line}`),
  ].join("\n");
}

/** The commands to run next, for the package manager that ran this command. */
async function nextCommands(folder: string, agent: string | undefined): Promise<readonly string[]> {
  const isPnpm = agent?.startsWith("pnpm/") === true;
  const [manager, run] = isPnpm ? ["pnpm", "pnpm exec"] : ["npm", "npx"];
  const install = (await lacksOwnScope(folder)) ? "envs install @envs/core" : `${manager} install`;
  return [install, `${manager} test`, `${run} envs eval . -m policy:best`];
}
