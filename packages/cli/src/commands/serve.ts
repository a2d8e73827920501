import { once } from "node:events";

import { type EnvironmentServer, serve, type ServeOptions } from "@envs/serve";
import {
  FailureError,
  UsageError,
  integerOption,
  numberOption,
  onInterrupt,
  paint,
  type EnvsCommand,
} from "@envs/terminal";
import type { ArgsDef } from "citty";

import {
  argumentsForEnvironments,
  environmentsToServe,
} from "../environments/environments-to-serve.ts";
import { apiKeyFrom } from "../models/api-key.ts";
import { servedAddresses, addressTable } from "../render/served-addresses.ts";

const serveArguments = {
  environment: {
    type: "positional",
    required: false,
    description: "One or several: a package (tictactoe, @you/your-environment) or a path",
  },
  port: {
    type: "string",
    alias: "p",
    description: "Port to listen on (default 8000; 0 for any)",
    valueHint: "number",
  },
  host: {
    type: "string",
    description: "Address to listen on (default 127.0.0.1: this machine only; 0.0.0.0 for all)",
    valueHint: "address",
  },
  seed: {
    type: "string",
    description: "Decides examples and all randomness where a trainer gives no seed (default 0)",
    valueHint: "number",
  },
  sessions: {
    type: "string",
    description: "The most sessions at once (default 4096)",
    valueHint: "count",
  },
  threads: {
    type: "string",
    description:
      "Threads that episodes run in (default: the machine's, less one, at most 8; 0: all in one)",
    valueHint: "count",
  },
  "idle-timeout": {
    type: "string",
    description: "How long a session may be silent (default 900)",
    valueHint: "seconds",
  },
  "api-key-var": {
    type: "string",
    description: "A variable with a key that clients must send",
    valueHint: "name",
  },
  config: {
    type: "string",
    description:
      'The environment\'s config as JSON; single flags win. With several environments, by name: \'{"tictactoe": {"examples": 10}}\'',
    valueHint: "json",
  },
  json: { type: "boolean", description: "Print the URLs as one JSON object" },
} as const satisfies ArgsDef;

export const command: EnvsCommand<typeof serveArguments> = {
  meta: {
    name: "serve",
    description:
      "Serve environments to trainers: OpenEnv, ORS and NeMo Gym on one port, and a page to play on. With one environment, each option of its config is an option here too; with several, configs are given by --config alone",
  },
  args: serveArguments,

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    return argumentsForEnvironments(rawArgs, serveArguments);
  },

  async run({ args }): Promise<number> {
    if (args._.length === 0)
      throw new UsageError("Name an environment, for instance: envs serve tictactoe");
    const options = optionsFrom(args);
    const environments = await environmentsToServe(args._, args, serveArguments);
    const server = await listen(
      environments.map(({ reference }) => reference),
      options,
    );
    const { signal, dispose } = onInterrupt(() =>
      process.stderr.write(paint("dim", "closing; again to stop at once\n", process.stderr)),
    );
    const names = environments.map(({ name }) => name);
    const at = servedAddresses(reachable(server.url), names);
    process.stdout.write(`${args.json === true ? JSON.stringify(at) : addressTable(at)}\n`);
    if (!signal.aborted) await once(signal, "abort");
    await server.close();
    dispose();
    return 0;
  },
};

function optionsFrom(
  args: Readonly<Partial<Record<keyof typeof serveArguments, string | boolean | undefined>>>,
): ServeOptions {
  const text = (name: keyof typeof serveArguments): string | undefined => {
    const value = args[name];
    return typeof value === "string" ? value : undefined;
  };
  const seed = integerOption("seed", text("seed"), 0);
  const sessions = integerOption("sessions", text("sessions"));
  const threads = integerOption("threads", text("threads"), 0);
  const seconds = numberOption("idle-timeout", text("idle-timeout"), (value) =>
    value > 0 ? undefined : "above 0",
  );
  const host = text("host");
  const apiKey = apiKeyFrom(text("api-key-var"));
  return {
    port: integerOption("port", text("port"), 0) ?? 8000,
    isLogging: true,
    ...(seed === undefined ? {} : { seed }),
    ...(sessions === undefined ? {} : { sessions }),
    ...(threads === undefined ? {} : { threads }),
    ...(seconds === undefined ? {} : { idleTimeout: Math.ceil(seconds * 1000) }),
    ...(host === undefined ? {} : { host }),
    ...(apiKey === undefined ? {} : { apiKey }),
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
    const reason = code === undefined ? undefined : reasons[code]?.(port ?? 0, host);
    if (reason === undefined) throw error;
    throw new FailureError(reason);
  }
}

const reasons: Readonly<Record<string, (port: number, host: string) => string>> = {
  EADDRINUSE: (port, host) =>
    `Port ${port} of ${host} is taken by another program. Choose another with --port, or 0 for any that is free.`,
  EACCES: (port) => `Port ${port} is not for you to listen on. Choose one above 1023 with --port.`,
  EADDRNOTAVAIL: (_, host) =>
    `${host} is no address of this machine. Leave out --host, or take 0.0.0.0.`,
  ENOTFOUND: (_, host) => `${host} is no address. Leave out --host, or take 0.0.0.0.`,
  ERR_SOCKET_BAD_PORT: (port) => `There is no port ${port}. Choose one from 0 to 65535.`,
};

/** Nobody can connect to “all addresses”: on this machine it is localhost. */
function reachable(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/u, "//localhost");
}
