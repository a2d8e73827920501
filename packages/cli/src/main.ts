import { type ComparePublished, hubCommands, type ManifestCheck } from "@envs/hub-cli";
import {
  checkCommand,
  lazyCommand,
  type LazyCommand,
  mostSimilar,
  reportError,
  runCommand,
  UsageError,
} from "@envs/terminal";

import { missingMark, packageCommands } from "./packages/package-commands.ts";
import { version } from "./version.ts";

/** Each command is loaded when it runs, so that `envs --help` starts quickly. */
const localCommands: Readonly<Record<string, LazyCommand>> = {
  eval: lazyCommand(
    "Evaluate a model on an environment and save the run",
    () => import("./commands/eval.ts"),
  ),
  "run reproduce": lazyCommand(
    "Repeat an evaluation of a hub and push it",
    () => import("./commands/reproduce.ts"),
  ),
  "suite init": lazyCommand(
    "Lock environments, configs and seeds as a package",
    () => import("./commands/suite/init.ts"),
  ),
  "suite run": lazyCommand(
    "Run all evaluations of a suite with one model",
    () => import("./commands/suite/run.ts"),
  ),
  "suite publish": lazyCommand(
    "Check and publish a suite",
    () => import("./commands/suite/publish.ts"),
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
    () => import("./commands/report.ts"),
  ),
  synth: lazyCommand(
    "Create training data: play, filter, write chat JSONL",
    () => import("./commands/synth.ts"),
  ),
  train: lazyCommand(
    "Train a tiny language model on an environment",
    () => import("./commands/train.ts"),
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
  build: lazyCommand(
    "Write the manifest of an environment's package",
    () => import("./commands/build.ts"),
  ),
  "run replay": lazyCommand(
    "Report which rewards of saved runs a change alters",
    () => import("./commands/diff.ts"),
  ),
  "run diff": lazyCommand("Compare two runs by example", () => import("./commands/compare.ts")),
  "run rescore": lazyCommand(
    "Score saved rollouts with the present rubric",
    () => import("./commands/rescore.ts"),
  ),
  "judge calibrate": lazyCommand(
    "Compare a judge with people's labels",
    () => import("./commands/judge/calibrate.ts"),
  ),
  "queue status": lazyCommand(
    "Show the workers of a queue and its open runs",
    () => import("./commands/workers.ts"),
  ),
  "queue cancel": lazyCommand("Close a run of a queue", () => import("./commands/queue/cancel.ts")),
  "queue serve": lazyCommand(
    "Serve a queue to workers over HTTP",
    () => import("./commands/queue/serve.ts"),
  ),
  "queue token": lazyCommand(
    "Create the token of a host for queue serve",
    () => import("./commands/queue/token.ts"),
  ),
  "train adapter": lazyCommand(
    "Download a trained LoRA adapter as a package",
    () => import("./commands/adapter.ts"),
  ),
  "serve model": lazyCommand(
    "Serve a model as an OpenAI-compatible endpoint",
    () => import("./commands/endpoint.ts"),
  ),
  serve: lazyCommand(
    "Serve environments to trainers: OpenEnv, ORS, NeMo Gym",
    () => import("./commands/serve.ts"),
  ),
  "serve mcp": lazyCommand(
    "Serve an environment to an MCP client: start, act, score",
    () => import("./commands/mcp.ts"),
  ),
  export: lazyCommand(
    "Write a trainer's configuration, datasets or training data",
    () => import("./commands/export.ts"),
  ),
  "queue worker": lazyCommand(
    "Play rollouts of a queue, on any number of machines",
    () => import("./commands/worker.ts"),
  ),
  "train rollouts": lazyCommand(
    "Play episodes for a trainer that observes model calls",
    () => import("./commands/rollout-worker.ts"),
  ),
  explain: lazyCommand("Explain an error code", () => import("./commands/explain.ts")),
};

const hub = hubCommands({
  checkManifest,
  comparePublished,
  push: lazyCommand("Push a run with its rollouts", () => import("./commands/push.ts")),
});
const commands: Readonly<Record<string, LazyCommand>> = {
  ...localCommands,
  ...packageCommands,
  ...hub,
};

const help = `envs ${version}: reinforcement-learning environments for language models

Usage: envs <command> [options]

${list({ ...localCommands, ...packageCommands })}

Share environments on a hub:

${list(hub)}

  envs <command> --help    Show the options of a command
  envs --version           Show the version

Example: envs eval tictactoe -m policy:optimal
`;

async function checkManifest(root: string): Promise<ManifestCheck> {
  const { buildManifest } = await import("./manifest/build-manifest.ts");
  const { state, changed, isBuildStale } = await buildManifest(root, { isCheck: true });
  return { state, changed, isSourceNewer: isBuildStale };
}

async function comparePublished(
  comparison: Parameters<ComparePublished>[0],
): ReturnType<ComparePublished> {
  const { comparePublished: compare } = await import("./reward-diff/compare-published.ts");
  return await compare(comparison);
}

function list(listed: Readonly<Record<string, LazyCommand>>): string {
  return Object.entries(listed)
    .map(([name, command]) => `  ${name.padEnd(16)} ${command.summary}${missingMark(command)}`)
    .join("\n");
}

function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

/** Runs one command line. Returns the exit code: 0 for success, 1 for a failure, 2 for wrong usage. */
export async function run(rawArgs: readonly string[]): Promise<number> {
  const [name, option = "--help"] = rawArgs;
  if (name === undefined || isHelp(name) || name === "help") {
    process.stdout.write(help);
    return 0;
  }
  if (name === "--version" || name === "-v") {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const group = commandsBelow(name);
  if (!Object.hasOwn(commands, name) && Object.keys(group).length > 0 && isHelp(option)) {
    process.stdout.write(
      `${list(group)}\n\n  envs <command> --help    Show the options of a command\n`,
    );
    return 0;
  }
  try {
    const [command, args] = findCommand(rawArgs);
    return await runCommand(await command.load(), args);
  } catch (error) {
    return reportError(error);
  }
}

/** Throws an error if `run` would reject the command, an option or the number of arguments. Runs nothing. */
export async function checkCommandLine(rawArgs: readonly string[]): Promise<void> {
  const [command, args] = findCommand(rawArgs);
  await checkCommand(await command.load(), args);
}

/** The commands of two words that begin with a word. */
function commandsBelow(word: string): Readonly<Record<string, LazyCommand>> {
  return Object.fromEntries(
    Object.entries(commands).filter(([name]) => name.startsWith(`${word} `)),
  );
}

/** Finds the command of the first two words, else of the first. Returns it with its arguments. */
function findCommand(rawArgs: readonly string[]): readonly [LazyCommand, readonly string[]] {
  for (const length of [2, 1]) {
    const words = rawArgs.slice(0, length).join(" ");
    const command = Object.hasOwn(commands, words) ? commands[words] : undefined;
    if (command !== undefined) return [command, rawArgs.slice(length)];
  }
  const [name = "", word = ""] = rawArgs;
  const group = Object.keys(commandsBelow(name));
  const unknown = group.length > 0 ? `${name} ${word}`.trim() : name;
  const known = group.length > 0 ? group : [...Object.keys(commands), "--help", "--version"];
  const rest = group.length > 0 ? `The commands are: ${group.join(", ")}.` : "See: envs --help";
  throw new UsageError(
    `Unknown command ${JSON.stringify(unknown)}.${didYouMeanCommand(unknown, known)} ${rest}`,
  );
}

/** Also finds a command by its last word: `diff` is like `run diff`. */
function didYouMeanCommand(text: string, names: readonly string[]): string {
  const byLastWord = new Map(names.map((name) => [name.split(" ").at(-1)!, name]));
  const lastWord = mostSimilar(text, [...byLastWord.keys()]);
  const name = mostSimilar(text, names) ?? (lastWord && byLastWord.get(lastWord));
  return name === undefined ? "" : ` Did you mean ${name}?`;
}
