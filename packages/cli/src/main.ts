import { type EnvsCommand, reportError, UsageError } from "@envs/terminal";

import { version } from "./version.ts";

/** Commands are loaded when they are called: help must not wait for what it does not use. */
const commands: Readonly<Record<string, () => Promise<{ readonly command: unknown }>>> = {
  eval: () => import("./commands/eval.ts"),
  list: () => import("./commands/list.ts"),
  info: () => import("./commands/info.ts"),
  view: () => import("./commands/view.ts"),
  synth: () => import("./commands/synth.ts"),
  train: () => import("./commands/train.ts"),
  play: () => import("./commands/play.ts"),
  init: () => import("./commands/init.ts"),
  check: () => import("./commands/check.ts"),
  build: () => import("./commands/build.ts"),
  endpoint: () => import("./commands/endpoint.ts"),
  serve: () => import("./commands/serve.ts"),
  export: () => import("./commands/export.ts"),
  "rollout-worker": () => import("./commands/rollout-worker.ts"),
  login: () => import("./commands/login.ts"),
  logout: () => import("./commands/logout.ts"),
  whoami: () => import("./commands/whoami.ts"),
  search: () => import("./commands/search.ts"),
  install: () => import("./commands/install.ts"),
  publish: () => import("./commands/publish.ts"),
  yank: () => import("./commands/yank.ts"),
  archive: () => import("./commands/archive.ts"),
  advisory: () => import("./commands/advisory.ts"),
  star: () => import("./commands/star.ts"),
  token: () => import("./commands/token.ts"),
  org: () => import("./commands/org.ts"),
  doctor: () => import("./commands/doctor.ts"),
  hub: () => import("./commands/hub.ts"),
  explain: () => import("./commands/explain.ts"),
};

/** What `envs --help` says of each command. */
const localSummaries: Readonly<Record<string, string>> = {
  eval: "Evaluate a model on an environment and save the run",
  list: "List the environments that this project has",
  info: "Describe an environment: config, scores, tools, an example conversation",
  view: "Read a saved run: summary, then rollout by rollout",
  synth: "Make training data: play, keep what is good, write chat JSONL",
  train: "Train a tiny language model on an environment",
  play: "Play an environment yourself, or against a model",
  init: "Start a new environment package",
  check: "Run the conformance suite on an environment",
  build: "Describe an environment's package to the hub: write its manifest",
  endpoint: "Serve a model as an OpenAI-compatible endpoint",
  serve: "Serve environments to trainers: OpenEnv, ORS and NeMo Gym on one port",
  export: "Write what a trainer needs: its configuration, rows, training data",
  "rollout-worker": "Play episodes for a trainer that listens in on the model",
  explain: "Explain an error code",
};

const hubSummaries: Readonly<Record<string, string>> = {
  search: "Find environments",
  install: "Add environments to this project, with the package manager that it has",
  publish: "Publish the package in a folder",
  yank: "Take a version off its list, so that nobody chooses it any more",
  archive: "Archive a package: it installs, and does not change any more",
  advisory: "Warn whoever has certain versions of a package",
  login: "Log in",
  logout: "Log out",
  whoami: "Say who you are",
  star: "Star a package",
  token: "List, create and revoke tokens",
  org: "Organisations and their members",
  doctor: "Say what each package manager on this machine would do, and what to change",
  hub: "Start, save and restore a hub of your own",
};

const summaries = { ...localSummaries, ...hubSummaries };

const help = `envs ${version}: reinforcement-learning environments for language models

Usage: envs <command> [options]

${list(localSummaries)}

With a hub, which shares environments:

${list(hubSummaries)}

  envs <command> --help    Options of a command
  envs --version           The version

Start with: envs eval tictactoe -m policy:optimal
`;

function list(commands: Readonly<Record<string, string>>): string {
  return Object.entries(commands)
    .map(([name, summary]) => `  ${name.padEnd(15)} ${summary}`)
    .join("\n");
}

/** Runs one command line. Resolves to the exit code: 0 all well, 1 something failed, 2 held wrong. */
export async function run(rawArgs: readonly string[]): Promise<number> {
  const [name, ...rest] = rawArgs;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(help);
    return 0;
  }
  if (name === "--version" || name === "-v") {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  try {
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (load === undefined) return await unknownCommand(name);
    const { runCommand } = await import("@envs/terminal");
    const { command } = await load();
    return await runCommand(command as EnvsCommand, rest);
  } catch (error) {
    return reportError(error);
  }
}

async function unknownCommand(name: string): Promise<never> {
  const { didYouMean } = await import("@envs/terminal");
  throw new UsageError(
    `There is no command ${JSON.stringify(name)}.${didYouMean(name, Object.keys(summaries))} See: envs --help`,
  );
}
