import { type ArgsDef, type CommandDef, runCommand as runWithCitty } from "citty";

import { checkOptions, checkPositionals, checkResume } from "./arguments.ts";
import { exitOnClosedPipe } from "./process-events.ts";

/** A citty command whose options may depend on the arguments: `envs eval <environment>` also accepts the environment's config. */
export interface EnvsCommand<Args extends ArgsDef = ArgsDef> extends CommandDef<Args> {
  /** The value of an option that is written without one: `--resume` alone means `--resume latest`. */
  bareValues?: Readonly<Record<string, string>>;
  /** Options that may be repeated, by each of their forms (`-m`, `--model`): their values are joined by commas. */
  joinedOptions?: readonly string[];
  /** The options that `--help` lists; `--help --all` lists all. By default, `--help` lists all, too. */
  everydayOptions?: readonly (keyof Args & string)[];
  /** Passes all arguments on unchecked, `--help` included, to a program that parses its own options. */
  passesArguments?: boolean;
  /** The maximum number of positional arguments; by default, each definition has one. */
  maxPositionals?: number;
  /** Exits once the reader of stdout has closed the pipe: for commands that only print. */
  exitsOnClosedPipe?: boolean;
  /** Returns the definitions of the options. The arguments end with `--help` if only help is printed. */
  argumentsFor?: (rawArgs: readonly string[]) => Promise<ArgsDef>;
}

/** Infers the types of a command's arguments. */
export function defineCommand<const Args extends ArgsDef = ArgsDef>(
  command: EnvsCommand<Args>,
): EnvsCommand<Args> {
  return command;
}

/** A command that is listed with its summary; its module is loaded when the command runs. */
export interface LazyCommand {
  /** The line of the command in the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<EnvsCommand>;
}

/** Makes an entry of a table of commands. `load` imports the module, which exports `command`. */
export function lazyCommand(
  summary: string,
  load: () => Promise<{ readonly command: unknown }>,
): LazyCommand {
  return { summary, load: async () => (await load()).command as EnvsCommand };
}

/** Runs a command, or prints its help. Returns the exit code. Throws a `UsageError` for an unknown option. */
export async function runCommand(
  command: EnvsCommand,
  commandLine: readonly string[],
): Promise<number> {
  if (command.passesArguments === true) return await start(command, commandLine);
  const isHelpFlag = (argument: string): boolean => argument === "--help" || argument === "-h";
  const isHelp = commandLine.some(isHelpFlag);
  const isAll = isHelp && commandLine.includes("--all");
  const rawArgs = joinRepeated(
    command,
    addBareValues(
      command,
      commandLine.filter((argument) => !isHelpFlag(argument) && !(isAll && argument === "--all")),
    ),
  );
  const args = await argumentsOf(command, isHelp ? [...rawArgs, "--help"] : rawArgs);
  if (isHelp) {
    process.stdout.write(`${await helpOf(command, { args, isAll })}\n`);
    return 0;
  }
  await checkArguments(command, rawArgs, args);
  return await start({ ...command, args }, rawArgs);
}

/** Throws a `UsageError` if a command does not accept the arguments. Does not run the command. */
export async function checkCommand(
  command: EnvsCommand,
  commandLine: readonly string[],
): Promise<void> {
  if (command.passesArguments === true) return;
  const rawArgs = addBareValues(command, commandLine);
  await checkArguments(command, rawArgs, await argumentsOf(command, rawArgs));
}

async function checkArguments(
  { meta, maxPositionals: max }: EnvsCommand,
  rawArgs: readonly string[],
  definitions: ArgsDef,
): Promise<void> {
  checkOptions(rawArgs, definitions);
  checkResume(rawArgs, definitions);
  const { name: command = "" } = (await resolveValue(meta)) ?? {};
  checkPositionals(rawArgs, definitions, { command, max });
}

async function start(command: EnvsCommand, rawArgs: readonly string[]): Promise<number> {
  if (command.exitsOnClosedPipe === true) exitOnClosedPipe();
  const { result } = await runWithCitty(command, { rawArgs: [...rawArgs] });
  return typeof result === "number" ? result : 0;
}

async function helpOf(
  command: EnvsCommand,
  { args, isAll }: { readonly args: ArgsDef; readonly isAll: boolean },
): Promise<string> {
  const { name = "", description = "" } = (await resolveValue(command.meta)) ?? {};
  const options = (await resolveValue(command.args)) ?? {};
  const added = Object.entries(args).filter(([argument]) => !Object.hasOwn(options, argument));
  const { usage } = await import("./usage.ts");
  return usage(
    {
      name,
      description,
      options,
      configOptions: Object.fromEntries(added),
      everydayOptions: isAll ? undefined : command.everydayOptions,
      isRepeatable: command.maxPositionals === Infinity,
    },
    process.stdout.columns,
  );
}

/** citty accepts the parts of a command as values, promises or functions. */
function resolveValue<Value>(
  value: Value | (() => Value | Promise<Value>) | Promise<Value> | undefined,
): Value | Promise<Value> | undefined {
  return typeof value === "function" ? (value as () => Value | Promise<Value>)() : value;
}

async function argumentsOf(command: EnvsCommand, rawArgs: readonly string[]): Promise<ArgsDef> {
  return (await command.argumentsFor?.(rawArgs)) ?? (await resolveValue(command.args)) ?? {};
}

function addBareValues(
  { bareValues = {} }: EnvsCommand,
  rawArgs: readonly string[],
): readonly string[] {
  return rawArgs.flatMap((argument, index) => {
    const value = Object.hasOwn(bareValues, argument) ? bareValues[argument] : undefined;
    const next = rawArgs[index + 1];
    const isBare = next === undefined || next.startsWith("-");
    return value !== undefined && isBare ? [argument, value] : [argument];
  });
}

/** Replaces the occurrences of a repeated option by one with all values. */
function joinRepeated(
  { joinedOptions = [] }: EnvsCommand,
  rawArgs: readonly string[],
): readonly string[] {
  const end = rawArgs.includes("--") ? rawArgs.indexOf("--") : rawArgs.length;
  const values: string[] = [];
  const others: string[] = [];
  for (let index = 0; index < rawArgs.length; index += 1) {
    const argument = rawArgs[index]!;
    const [flag = "", inlineValue] = argument.split(/=(.*)/s, 2);
    const value = inlineValue ?? rawArgs[index + 1];
    if (index >= end || !joinedOptions.includes(flag) || value === undefined) {
      others.push(argument);
      continue;
    }
    values.push(value);
    if (inlineValue === undefined) index += 1;
  }
  if (values.length < 2) return rawArgs;
  return [joinedOptions[0]!, values.join(","), ...others];
}
