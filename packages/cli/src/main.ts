import { findCommand } from "./help/find-command.ts";
import { groupHelp, namesBelow, overview } from "./help/overview.ts";
import { packageCommands } from "./packages/package-commands.ts";
import { checkCommand, lazyCommand, type LazyCommand, runCommand } from "./terminal/command.ts";
import { reportError } from "./terminal/errors.ts";
import { version } from "./version.ts";

/** Each command is loaded when it runs, so that `envs --help` starts quickly. */
export const localCommands: Readonly<Record<string, LazyCommand>> = {
  eval: lazyCommand(
    "Evaluate a model on an environment and save the run",
    () => import("./commands/eval.ts"),
  ),
  info: lazyCommand(
    "Describe an environment, or list those of this project",
    () => import("./commands/info.ts"),
  ),
  view: lazyCommand(
    "Show a saved run: its summary, then each rollout",
    () => import("./commands/view.ts"),
  ),
  "run report": lazyCommand(
    "Write a run as one HTML file to share",
    () => import("./commands/run/report.ts"),
  ),
  play: lazyCommand(
    "Play an environment in the model's place or against a model",
    () => import("./commands/play.ts"),
  ),
  init: lazyCommand("Create a new environment package", () => import("./init/command.ts")),
  check: lazyCommand(
    "Run the conformance suite on an environment",
    () => import("./commands/check.ts"),
  ),
  "run replay": lazyCommand(
    "Report which rewards change if saved runs are replayed",
    () => import("./commands/run/replay.ts"),
  ),
  "run diff": lazyCommand(
    "Compare two runs, example by example",
    () => import("./commands/run/diff.ts"),
  ),
  "run rescore": lazyCommand(
    "Save runs again, with the scores of the present rubric",
    () => import("./commands/run/rescore.ts"),
  ),
  "run import": lazyCommand(
    "Save trials of Harbor, or trajectories in ATIF, as runs",
    () => import("./commands/run/import.ts"),
  ),
  "run scan": lazyCommand(
    "Search the calls of a run's agents for cheats",
    () => import("./commands/run/scan.ts"),
  ),
  "judge calibrate": lazyCommand(
    "Compare a judge with people's labels",
    () => import("./commands/judge/calibrate.ts"),
  ),
  completion: lazyCommand(
    "Print a completion script for bash, zsh or fish",
    () => import("./completion/command.ts"),
  ),
  explain: lazyCommand("Explain an error code", () => import("./commands/explain.ts")),
};

const commands: Readonly<Record<string, LazyCommand>> = {
  ...localCommands,
  ...packageCommands,
};

/** Runs one command line. Returns the exit code: 0 for success, 1 for a failure, 2 for wrong usage. */
export async function run(rawArgs: readonly string[]): Promise<number> {
  try {
    return await runWords(withHelpOption(rawArgs));
  } catch (error) {
    return reportError(error);
  }
}

async function runWords(words: readonly string[]): Promise<number> {
  const [name, option = "--help"] = words.filter((word) => word !== "--all");
  if (name === undefined || name === "help" || isHelp(name))
    return print(overview(commands, { version, isAll: words.includes("--all") }));
  if (name === "--version" || name === "-v") return print(`${version}\n`);
  const isGroup = namesBelow(commands, name).length > 0;
  if (isGroup && isHelp(option) && !Object.hasOwn(commands, name))
    return print(groupHelp(commands, name));
  if (name === "complete" && words[1] === "--") {
    const { complete } = await import("./completion/complete.ts");
    return print(await complete(commands, words.slice(2)));
  }
  const { command, args } = findCommand(commands, words);
  const exitCode = await runCommand(await command.load(), args);
  return isGroup && args.length === 1 && isHelp(option)
    ? print(`\n${groupHelp(commands, name)}`)
    : exitCode;
}

/** Rewrites `envs help eval` to `envs eval --help`. */
function withHelpOption(words: readonly string[]): readonly string[] {
  return words[0] === "help" ? [...words.slice(1), "--help"] : words;
}

function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** Throws an error if `run` would reject the command, an option or the number of arguments. Runs nothing. */
export async function checkCommandLine(rawArgs: readonly string[]): Promise<void> {
  const words = withHelpOption(rawArgs).filter((word) => !isHelp(word) && word !== "--all");
  // Help, or the list of a group's commands.
  if (words.length === 0 || (words.length === 1 && namesBelow(commands, words[0]!).length > 0))
    return;
  const { command, args } = findCommand(commands, words);
  await checkCommand(await command.load(), args);
}
