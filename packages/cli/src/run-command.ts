import { type ArgsDef, type CommandDef, runCommand as runWithCitty } from "citty";

import { refuseUnknown } from "./arguments.ts";
import { type Usage, usage } from "./render/usage.ts";
import { endUnread } from "./unread.ts";

/** A command whose options depend on what is written: `envs eval <environment>` takes the environment's config too. */
export interface EnvsCommand<Args extends ArgsDef = ArgsDef> extends CommandDef<Args> {
  /** What an option means when nothing follows it: `--resume` alone is `--resume latest`. */
  bareValues?: Readonly<Record<string, string>>;
  /** It takes every argument as it comes: the options and the help are of the program behind it. */
  takesAll?: boolean;
  /** All that it does is for whoever reads what it prints: once nobody does, it ends. */
  endsUnread?: boolean;
  argumentsFor?: (rawArgs: readonly string[]) => Promise<ArgsDef>;
}

/** Runs a command: help, then its options checked, then its work. Resolves to the exit code. */
export async function runCommand(command: EnvsCommand, given: readonly string[]): Promise<number> {
  if (command.takesAll === true) return await start(command, given);
  const isHelp = given.includes("--help") || given.includes("-h");
  const asked = given.filter((argument) => argument !== "--help" && argument !== "-h");
  const rawArgs = [...withBareValues(command, asked)];
  const args = await argumentsOf(command, rawArgs);
  if (isHelp) {
    process.stdout.write(`${usage(await usageOf(command, args), process.stdout.columns)}\n`);
    return 0;
  }
  refuseUnknown(rawArgs, args);
  return await start({ ...command, args }, rawArgs);
}

async function start(command: EnvsCommand, rawArgs: readonly string[]): Promise<number> {
  if (command.endsUnread === true) endUnread();
  const { result } = await runWithCitty(command, { rawArgs: [...rawArgs] });
  return typeof result === "number" ? result : 0;
}

async function usageOf(command: EnvsCommand, args: ArgsDef): Promise<Usage> {
  const { name = "", description = "" } = (await resolveValue(command.meta)) ?? {};
  const options = (await resolveValue(command.args)) ?? {};
  const added = Object.entries(args).filter(([argument]) => !Object.hasOwn(options, argument));
  return { name, description, options, configOptions: Object.fromEntries(added) };
}

/** citty lets a command give its parts as values, promises or functions. */
function resolveValue<Value>(
  value: Value | (() => Value | Promise<Value>) | Promise<Value> | undefined,
): Value | Promise<Value> | undefined {
  return typeof value === "function" ? (value as () => Value | Promise<Value>)() : value;
}

async function argumentsOf(command: EnvsCommand, rawArgs: readonly string[]): Promise<ArgsDef> {
  return (await command.argumentsFor?.(rawArgs)) ?? (await resolveValue(command.args)) ?? {};
}

/** Gives options that stand alone the value that this means. */
function withBareValues(
  { bareValues = {} }: EnvsCommand,
  rawArgs: readonly string[],
): readonly string[] {
  return rawArgs.flatMap((argument, at) => {
    const value = Object.hasOwn(bareValues, argument) ? bareValues[argument] : undefined;
    const next = rawArgs[at + 1];
    const isBare = next === undefined || next.startsWith("-");
    return value !== undefined && isBare ? [argument, value] : [argument];
  });
}
