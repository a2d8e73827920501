import { once } from "node:events";

import {
  FailureError,
  UsageError,
  integerOption,
  numberOption,
  onInterrupt,
  paint,
  printResult,
  type EnvsCommand,
  type ArgsDef,
  loadConfigFile,
  textOptions,
  argument,
  valueOption,
  flag,
} from "@envs/cli/kit";
import {
  apiKeyFrom,
  judgeArguments,
  judgePlan,
  subModelArguments,
  subModelPlan,
} from "@envs/cli/kit/models";
import { evaluationArguments } from "@envs/cli/kit/runs";

import type { EnvironmentServer } from "../environment-server.ts";
import type { ServeOptions } from "../options.ts";
import { serve } from "../server.ts";
import { accessArguments, allowedHostsFrom } from "./allowed-hosts.ts";
import { argumentsForEnvironments, environmentsToServe } from "./environments-to-serve.ts";
import { servedAddresses, addressTable } from "./served-addresses.ts";
import { judgeOptions } from "./served-judge.ts";
import { subModelOptions } from "./served-sub-model.ts";

const serveArguments = {
  environment: argument(
    "One or more environments: packages (tictactoe, @you/your-environment) or paths",
  ),
  port: valueOption("Port to listen on (default 8000; 0 for any)", "number", "p"),
  host: valueOption(
    "Address to listen on (default 127.0.0.1: this machine only; 0.0.0.0 for all)",
    "address",
  ),
  seed: valueOption(
    "Seed of the dataset and of the randomness, unless a trainer sends one (default 0)",
    "number",
  ),
  sessions: valueOption("Maximum number of concurrent sessions (default 4096)", "count"),
  "group-size": valueOption(
    "Rollouts of an example that the trainer samples; required if the rubric compares them",
    "count",
  ),
  processes: valueOption(
    "Processes that run episodes (default: the processors, at least 8; 0: the command's own process)",
    "count",
    "threads",
  ),
  "step-timeout": valueOption(
    "End an episode whose reset, step or score takes longer, and replace a process that does not answer (default 120)",
    "seconds",
  ),
  drain: valueOption(
    "Time for open episodes to end after SIGTERM or Ctrl-C, while new sessions are rejected (default 10)",
    "seconds",
  ),
  "idle-timeout": valueOption(
    "Close a session after this time without requests (default 900)",
    "seconds",
  ),
  ...accessArguments,
  config: {
    type: "string",
    description:
      'The environment\'s config as JSON; single flags override it. With several environments, by name: \'{"tictactoe": {"examples": 10}}\'',
    valueHint: "json",
  },
  ...judgeArguments,
  ...subModelArguments,
  "config-file": evaluationArguments["config-file"],
  json: flag("Print the URLs as one JSON object"),
} as const satisfies ArgsDef;

export const command: EnvsCommand<typeof serveArguments> = {
  meta: {
    name: "serve",
    description:
      "Serve environments to trainers over OpenEnv, ORS and NeMo Gym on one port, with a web page to play on. With one environment, the options of its config are options of this command too; with several, pass --config",
  },
  everydayOptions: [
    "port",
    "host",
    "seed",
    "sessions",
    "group-size",
    "processes",
    "api-key-var",
    "allowed-host",
    "config",
    "judge",
    "sub-model",
    "json",
  ],
  args: serveArguments,
  maxPositionals: Infinity,

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    return argumentsForEnvironments(rawArgs, serveArguments);
  },

  async run({ args }): Promise<number> {
    if (args._.length === 0)
      throw new UsageError("Missing environment. Example: envs serve tictactoe");
    const options = optionsFrom(args);
    const environments = await environmentsToServe(args._, args, serveArguments);
    const { endpoints } = await loadConfigFile(args["config-file"]);
    const served = environments.map(({ environment }) => environment);
    const judge = judgeOptions(served, { plan: judgePlan(args), endpoints });
    const subModel = subModelOptions(served, { plan: subModelPlan(args), endpoints });
    const server = await listen(
      environments.map(({ reference }) => reference),
      { ...options, ...judge, ...subModel },
    );
    const { signal, dispose } = onInterrupt(() =>
      process.stderr.write(
        paint(
          "dim",
          `Closing. Open episodes have ${(options.drain ?? 0) / 1000} s to end. Press Ctrl-C again to exit immediately.\n`,
          process.stderr,
        ),
      ),
    );
    const names = environments.map(({ environment }) => environment.name);
    const addresses = servedAddresses(localUrl(server.url), names);
    printResult(args.json, addresses, addressTable(addresses));
    if (!signal.aborted) await once(signal, "abort");
    await server.close();
    dispose();
    return 0;
  },
};

function optionsFrom(
  args: Readonly<Partial<Record<keyof typeof serveArguments, string | boolean | undefined>>>,
): ServeOptions {
  const text = textOptions(args);
  const seed = integerOption("seed", text("seed"), 0);
  const sessions = integerOption("sessions", text("sessions"));
  const groupSize = integerOption("group-size", text("group-size"), 2);
  const processes = integerOption("processes", text("processes"), 0);
  const milliseconds = (name: keyof typeof serveArguments): number | undefined => {
    const seconds = numberOption(name, text(name), (value) => (value > 0 ? undefined : "above 0"));
    return seconds === undefined ? undefined : Math.ceil(seconds * 1000);
  };
  const drain = numberOption("drain", text("drain"), (value) =>
    value >= 0 ? undefined : "at least 0",
  );
  const host = text("host");
  const apiKey = apiKeyFrom(text("api-key-var"));
  const allowedHosts = allowedHostsFrom(text("allowed-host"));
  return {
    port: integerOption("port", text("port"), 0) ?? 8000,
    isLogging: true,
    seed,
    sessions,
    groupSize,
    processes,
    idleTimeout: milliseconds("idle-timeout"),
    stepTimeout: milliseconds("step-timeout"),
    drain: (drain ?? 10) * 1000,
    host,
    apiKey,
    allowedHosts,
  };
}

async function listen(
  environments: Parameters<typeof serve>[0],
  options: ServeOptions,
): Promise<EnvironmentServer> {
  try {
    return await serve(environments, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const { port, host = "127.0.0.1" } = options;
    const message = code === undefined ? undefined : listenErrors[code]?.(port ?? 0, host);
    if (message === undefined) throw error;
    throw new FailureError(message);
  }
}

const listenErrors: Readonly<Record<string, (port: number, host: string) => string>> = {
  EADDRINUSE: (port, host) =>
    `Port ${port} on ${host} is already in use. Choose another port with --port, or 0 for any free port.`,
  EACCES: (port) =>
    `Permission denied to listen on port ${port}. Choose a port above 1023 with --port.`,
  EADDRNOTAVAIL: (_, host) =>
    `${host} is not an address of this machine. Remove --host, or use 0.0.0.0.`,
  ENOTFOUND: (_, host) => `Cannot resolve ${host}. Remove --host, or use 0.0.0.0.`,
  ERR_SOCKET_BAD_PORT: (port) => `Invalid port ${port}. Choose a port from 0 to 65535.`,
};

/** Replaces the wildcard address, to which clients cannot connect, with localhost. */
function localUrl(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/u, "//localhost");
}
