import { isAbsolute, relative, resolve } from "node:path";

import { checkScope, lacksOwnScope } from "@envs/hub-cli/queries";
import { paint, UsageError } from "@envs/terminal";
import { defineCommand } from "citty";

import {
  checkName,
  type Kind,
  kinds,
  type Scaffold,
  writeScaffold,
} from "../environments/scaffold.ts";

export const command = defineCommand({
  meta: {
    name: "init",
    description: "Start a new environment package that passes its tests at once",
  },
  args: {
    name: { type: "positional", required: false, description: "Its name, such as word-length" },
    kind: {
      type: "string",
      alias: "k",
      description: `What it is like: ${Object.keys(kinds).join(", ")} (default single)`,
    },
    scope: { type: "string", description: "The scope of its package, such as @you" },
    description: {
      type: "string",
      description: "What it asks, in one sentence",
      valueHint: "text",
    },
    directory: {
      type: "string",
      description: "Where to write it (default ./<name>)",
      valueHint: "folder",
    },
    yes: { type: "boolean", alias: "y", description: "Ask nothing" },
  },
  async run({ args }): Promise<void> {
    const asks = process.stdin.isTTY && process.stdout.isTTY && args.yes !== true;
    const { ask } = await import("../ask.ts");
    const name = args.name ?? (asks ? await ask.name() : undefined);
    if (name === undefined)
      throw new UsageError("Name the environment, for instance: envs init word-length");
    checkName(name);
    const scope = args.scope?.replace(/^@/, "");
    if (scope !== undefined) checkScope(scope);
    const kind = kindOf(args.kind ?? (asks ? await ask.kind() : "single"));
    const scaffold: Scaffold = {
      name,
      kind,
      scope,
      description: args.description ?? `An environment: ${kinds[kind]}.`,
      folder: resolve(args.directory ?? name),
    };
    const files = await writeScaffold(scaffold);
    const next = await nextCommands(scaffold.folder, process.env["npm_config_user_agent"]);
    process.stdout.write(`${told(scaffold, { files, next })}\n`);
  },
});

function kindOf(kind: string): Kind {
  if (Object.hasOwn(kinds, kind)) return kind as Kind;
  throw new UsageError(
    `There is no kind ${JSON.stringify(kind)}. Choose: ${Object.keys(kinds).join(", ")}.`,
  );
}

function told(
  { folder }: Scaffold,
  { files, next }: Readonly<Record<"files" | "next", readonly string[]>>,
): string {
  const near = relative(process.cwd(), folder);
  const place = near === "" ? "." : isAbsolute(near) || near.startsWith("..") ? folder : near;
  return [
    `${paint("green", "✓")} ${paint("bold", place)}`,
    ...files.map((file) => paint("dim", `  ${file}`)),
    "",
    "Next:",
    `  cd ${place}`,
    ...next.map((line) => `  ${line}`),
  ].join("\n");
}

/** What to type next, for the package manager that started this. */
async function nextCommands(folder: string, agent: string | undefined): Promise<readonly string[]> {
  const isPnpm = agent?.startsWith("pnpm/") === true;
  const [manager, run] = isPnpm ? ["pnpm", "pnpm exec"] : ["npm", "npx"];
  const install = (await lacksOwnScope(folder)) ? "envs install @envs/core" : `${manager} install`;
  return [install, `${manager} test`, `${run} envs eval . -m policy:best`];
}
