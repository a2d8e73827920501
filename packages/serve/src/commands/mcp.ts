import { once } from "node:events";
import { Writable } from "node:stream";

import {
  FailureError,
  integerOption,
  onInterrupt,
  printResult,
  UsageError,
  type EnvsCommand,
  type ArgsDef,
  loadConfigFile,
  argument,
  valueOption,
} from "@envs/cli/kit";
import { judgeArguments, judgePlan, subModelArguments, subModelPlan } from "@envs/cli/kit/models";
import { evaluationArguments } from "@envs/cli/kit/runs";

import { type McpServing, serveMcp, type ServeMcpOptions } from "../mcp/serve-mcp.ts";
import { argumentsForEnvironments, environmentsToServe } from "./environments-to-serve.ts";
import { judgeOptions } from "./served-judge.ts";
import { subModelOptions } from "./served-sub-model.ts";

const mcpArguments = {
  environment: argument("An environment: a package (tictactoe, @you/your-environment) or a path"),
  http: valueOption(
    "Port of this machine to serve streamable HTTP on, instead of standard input and output (0 for any)",
    "port",
  ),
  seed: valueOption("Seed of the dataset and of the randomness (default 0)", "number"),
  sessions: valueOption("Maximum number of open episodes (default 64)", "count"),
  config: evaluationArguments.config,
  ...judgeArguments,
  ...subModelArguments,
  "config-file": evaluationArguments["config-file"],
} as const satisfies ArgsDef;

export const command: EnvsCommand<typeof mcpArguments> = {
  meta: {
    name: "serve mcp",
    description:
      "Serve an environment to an MCP client, such as a desktop application: its tools start an episode, act in it and score it. The client starts this command. The options of the environment's config are options of this command too",
  },
  everydayOptions: ["http", "seed", "sessions", "config", "judge", "sub-model"],
  args: mcpArguments,

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    // Takes standard output before the environment's modules run, because they may print.
    if (!rawArgs.some((word) => /^(?:-h|--help|--http(?:=.*)?)$/.test(word))) protocolOutput();
    return argumentsForEnvironments(rawArgs, mcpArguments);
  },

  async run({ args }): Promise<number> {
    const [reference] = args._;
    if (reference === undefined)
      throw new UsageError("Missing environment. Example: envs serve mcp tictactoe");
    const [served] = await environmentsToServe([reference], args, mcpArguments);
    const { endpoints } = await loadConfigFile(args["config-file"]);
    const { environment } = served!;
    const port = integerOption("http", args.http, 0);
    const serving = await listen(served!.reference, {
      ...judgeOptions([environment], { plan: judgePlan(args), endpoints }),
      ...subModelOptions([environment], { plan: subModelPlan(args), endpoints }),
      seed: integerOption("seed", args.seed, 0),
      sessions: integerOption("sessions", args.sessions),
      transport: port === undefined ? { input: process.stdin, output: protocolOutput() } : { port },
      log: (error) => void process.stderr.write(`${errorText(error)}\n`),
    });
    if (serving.url !== undefined)
      printResult(false, {}, `${environment.name} is served at ${serving.url}`);
    const { signal, dispose } = onInterrupt(() => undefined);
    await Promise.race([serving.closed, signal.aborted || once(signal, "abort")]);
    await serving.close();
    dispose();
    return 0;
  },
};

async function listen(
  reference: Parameters<typeof serveMcp>[0],
  options: ServeMcpOptions,
): Promise<McpServing> {
  try {
    return await serveMcp(reference, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    const { port } = error as { readonly port?: number };
    throw new FailureError(
      `Port ${port} is already in use. Choose another port with --http, or 0 for any free port.`,
    );
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

let output: Writable | undefined;

/** Reserves standard output for the protocol, which the output of other code would break: that goes to standard error. */
function protocolOutput(): Writable {
  if (output !== undefined) return output;
  const write = process.stdout.write.bind(process.stdout);
  output = new Writable({
    write: (chunk: Buffer, _encoding, callback) => void write(chunk, callback),
  });
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return output;
}
