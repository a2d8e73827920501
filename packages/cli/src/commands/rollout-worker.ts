import { type Environment, openai, type Rollout, type RolloutsOptions } from "@envs/core";
import { examples } from "@envs/core/engine";
import { UsageError, integerOption, onInterrupt, paint, type EnvsCommand } from "@envs/terminal";
import type { ArgsDef } from "citty";

import { configFromArguments, withConfigFlags } from "../environments/config-arguments.ts";
import { trainingSplit } from "../environments/describe.ts";
import { loadEnvironment } from "../environments/load-environment.ts";
import { evaluationArguments } from "../evaluation/evaluation-arguments.ts";
import { groupFailure } from "../worker/group-record.ts";
import { playGroups } from "../worker/play-groups.ts";
import { postReward } from "../worker/post-reward.ts";
import { workerJson, workerTable } from "../worker/report.ts";
import { resolveConnection } from "../worker/trainer-connection.ts";

const { environment, concurrency, seed, config } = evaluationArguments;

const workerArguments = {
  environment,
  model: {
    type: "string",
    alias: "m",
    description: "The model's name at its server (default OPENAI_MODEL)",
  },
  "base-url": {
    type: "string",
    description:
      "The model's server, up to and including /v1 (default AGL_OPENAI_BASE_URL, else OPENAI_BASE_URL)",
    valueHint: "url",
  },
  "api-key-var": {
    type: "string",
    description: "The variable that holds its key (default AGL_KEY, else OPENAI_API_KEY)",
    valueHint: "name",
  },
  examples: {
    type: "string",
    alias: "n",
    description: "How many examples, from the first (default 1)",
    valueHint: "count",
  },
  index: {
    type: "string",
    alias: "i",
    description: "Play this example alone, from 0",
    valueHint: "number",
  },
  rollouts: {
    type: "string",
    alias: "r",
    description: "Rollouts of each example: the size of a group (default 1)",
    valueHint: "count",
  },
  split: {
    type: "string",
    description: "Which part of the dataset (default train, else the first that is not eval)",
  },
  concurrency,
  seed,
  groups: {
    type: "string",
    alias: "g",
    description:
      "Write a line of JSON for each example: token ids, masks, log-probabilities and scores of its rollouts; the server must report them (vLLM)",
    valueHint: "file",
  },
  config,
  json: { type: "boolean", description: "Print one JSON object instead of a table" },
} as const satisfies ArgsDef;

type Arguments = Parameters<NonNullable<typeof command.run>>[0]["args"];

export const command: EnvsCommand<typeof workerArguments> = {
  meta: {
    name: "rollout-worker",
    description:
      "Play episodes for a trainer that listens in on the model: every conversation only grows, no sampling parameter is sent, and what a rollout earned goes to AGL_EVENT_URL if that is set. A rollout that fails has no reward. Each option of the environment's config is an option here too",
  },
  args: workerArguments,

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    return withConfigFlags(rawArgs, workerArguments);
  },

  async run({ args }): Promise<number> {
    if (args.environment === undefined)
      throw new UsageError("Name an environment, for instance: envs rollout-worker tictactoe");
    const connection = resolveConnection(
      { model: args.model, baseURL: args["base-url"], apiKeyVariable: args["api-key-var"] },
      process.env,
    );
    const { baseURL, apiKey, events } = connection;
    const { factory } = await loadEnvironment(args.environment);
    const played = factory(await configFromArguments(args, workerArguments));
    const chosen = await choose(played, args);
    const isOne = chosen.rolloutsPerExample === 1 && (chosen.examples === 1 || chosen.skip);
    if (events !== undefined && !isOne)
      throw new UsageError(
        "AGL_EVENT_URL is the address of one rollout: play one, with --index and without -n and -r.",
      );
    const model = openai(connection.model, {
      baseURL,
      apiKey,
      tokens: args.groups !== undefined,
      keepReasoning: true,
      // A gateway sends everybody away while it takes new weights.
      retries: 20,
    });
    const interrupt = onInterrupt(() => process.stderr.write("stopping\n"));
    try {
      const all = await playGroups(
        played,
        { ...chosen, model, signal: interrupt.signal },
        args.groups,
      );
      for (const rollout of all)
        if (events !== undefined && rollout.status === "scored")
          await postReward(events, rollout.reward);
      process.stdout.write(
        `${args.json === true ? JSON.stringify(workerJson(played, all)) : workerTable(played, all)}\n`,
      );
      const failures = all.flatMap((rollout) => problemOf(rollout, args.groups) ?? []);
      if (failures[0] !== undefined)
        process.stderr.write(`${paint("red", "✗", process.stderr)} ${failures[0].message}\n`);
      return failures.length > 0 || all.length === 0 || interrupt.signal.aborted ? 1 : 0;
    } finally {
      interrupt.dispose();
    }
  },
};

type Chosen = Omit<RolloutsOptions, "model"> & { readonly rolloutsPerExample: number };

async function choose(environment: Environment, args: Arguments): Promise<Chosen> {
  const split = args.split ?? (await trainingSplit(environment));
  const index = integerOption("index", args.index, 0);
  if (index !== undefined && args.examples !== undefined)
    throw new UsageError("--index is one example: leave out -n.");
  const count = index === undefined ? (integerOption("examples", args.examples) ?? 1) : index + 1;
  const from = {
    seed: integerOption("seed", args.seed, Number.MIN_SAFE_INTEGER) ?? 0,
    ...(split === undefined ? {} : { split }),
  };
  const chosen = {
    ...from,
    examples: count,
    rolloutsPerExample: integerOption("rollouts", args.rollouts) ?? 1,
    concurrency: integerOption("concurrency", args.concurrency) ?? 32,
  };
  if (index === undefined) return chosen;
  let key: string | undefined;
  for await (const row of examples(environment, { ...from, count })) {
    if (row.index === index) ({ key } = row);
  }
  if (key === undefined)
    throw new UsageError(`${environment.name} has no example ${index} in this split.`);
  return { ...chosen, skip: ({ exampleKey }) => exampleKey !== key };
}

/** Rollouts without tokens are well, unless somebody pulls tokens. */
function problemOf(rollout: Rollout, groups: string | undefined) {
  if (groups !== undefined) return groupFailure(rollout);
  return rollout.status === "failed" ? rollout.error : undefined;
}
