import {
  type EnvsCommand,
  integerOption,
  onInterrupt,
  paint,
  UsageError,
  type ArgsDef,
  loadConfigFile,
  valueOption,
  flag,
} from "@envs/cli/kit";
import {
  configFromArguments,
  withConfigFlags,
  trainingSplit,
  loadEnvironment,
} from "@envs/cli/kit/environments";
import {
  judgeArguments,
  judgePlan,
  loadJudge,
  sharedModels,
  loadSubModel,
  subModelArguments,
  subModelPlan,
} from "@envs/cli/kit/models";
import { evaluationArguments } from "@envs/cli/kit/runs";
import type { Environment, Rollout, RolloutsOptions } from "@envs/core";
import { examples } from "@envs/core/engine";
import { openai } from "@envs/models";

import { groupFailure, playGroups } from "./rollouts/play-groups.ts";
import { workerJson, workerTable } from "./rollouts/report.ts";
import { postReward, resolveConnection } from "./rollouts/trainer-connection.ts";

const { environment, concurrency, seed, config } = evaluationArguments;

const workerArguments = {
  environment,
  model: {
    ...evaluationArguments.model,
    description: "The model's name on its server (default OPENAI_MODEL)",
  },
  "base-url": valueOption(
    "URL of the model's server, including /v1 (default AGL_OPENAI_BASE_URL, else OPENAI_BASE_URL)",
    "url",
  ),
  "api-key-var": valueOption(
    "Environment variable with the API key (default AGL_KEY, else OPENAI_API_KEY)",
    "name",
  ),
  examples: {
    ...evaluationArguments.examples,
    description: "Number of examples, from the first (default 1)",
  },
  index: valueOption("Play only the example with this index, from 0", "number", "i"),
  rollouts: {
    ...evaluationArguments.rollouts,
    description: "Rollouts per example, the group size (default 1)",
  },
  split: valueOption("Dataset split (default train, else the first that is not eval)"),
  concurrency,
  seed,
  groups: valueOption(
    "Write a JSON line per example with the token ids, masks, log-probabilities and scores of its rollouts; the server must return token ids (vLLM)",
    "file",
    "g",
  ),
  config,
  ...judgeArguments,
  ...subModelArguments,
  "config-file": evaluationArguments["config-file"],
  json: flag("Print one JSON object instead of a table"),
} as const satisfies ArgsDef;

type Arguments = Parameters<NonNullable<typeof command.run>>[0]["args"];

export const command: EnvsCommand<typeof workerArguments> = {
  meta: {
    name: "train rollouts",
    description:
      "Play episodes for a trainer that observes the model's calls. Conversations only grow, no sampling parameters are sent, and each reward is posted to AGL_EVENT_URL if it is set. Failed rollouts have no reward. The options of the environment's config are options of this command too",
  },
  everydayOptions: [
    "model",
    "base-url",
    "api-key-var",
    "examples",
    "rollouts",
    "split",
    "concurrency",
    "seed",
    "config",
    "judge",
    "sub-model",
    "json",
  ],
  args: workerArguments,

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    return withConfigFlags(rawArgs, workerArguments);
  },

  async run({ args }): Promise<number> {
    if (args.environment === undefined)
      throw new UsageError("Missing environment. Example: envs train rollouts tictactoe");
    const connection = resolveConnection(
      { model: args.model, baseURL: args["base-url"], apiKeyVariable: args["api-key-var"] },
      process.env,
    );
    const { baseURL, apiKey, events } = connection;
    const { factory } = await loadEnvironment(args.environment);
    const instance = factory(await configFromArguments(args, workerArguments));
    const options = await rolloutsOptions(instance, args);
    const isSingle = options.rolloutsPerExample === 1 && (options.examples === 1 || options.skip);
    if (events !== undefined && !isSingle)
      throw new UsageError(
        "AGL_EVENT_URL accepts the reward of one rollout only. Pass --index, and remove -n and -r.",
      );
    const model = openai(connection.model, {
      baseURL,
      apiKey,
      tokens: args.groups !== undefined,
      keepReasoning: true,
      // A gateway rejects requests while it loads new weights.
      retries: 20,
    });
    const { endpoints } = await loadConfigFile(args["config-file"]);
    const asked = judgePlan(args);
    const judge = await loadJudge(instance, asked, endpoints);
    const subModel = await loadSubModel(instance, subModelPlan(args), endpoints);
    const interrupt = onInterrupt(() =>
      process.stderr.write("Stopping. Press Ctrl-C again to exit immediately.\n"),
    );
    try {
      const rollouts = await playGroups(
        instance,
        {
          ...options,
          model,
          judge: judge && sharedModels(judge, asked),
          subModel: subModel?.model,
          signal: interrupt.signal,
        },
        args.groups,
      );
      for (const rollout of rollouts)
        if (events !== undefined && rollout.status === "scored")
          await postReward(events, rollout.reward);
      process.stdout.write(
        `${args.json === true ? JSON.stringify(workerJson(instance, rollouts)) : workerTable(instance, rollouts)}\n`,
      );
      const failures = rollouts.flatMap((rollout) => failureOf(rollout, args.groups) ?? []);
      if (failures[0] !== undefined)
        process.stderr.write(`${paint("red", "✗", process.stderr)} ${failures[0].message}\n`);
      return failures.length > 0 || rollouts.length === 0 || interrupt.signal.aborted ? 1 : 0;
    } finally {
      interrupt.dispose();
      await judge?.close();
      await subModel?.close();
    }
  },
};

type WorkerOptions = Omit<RolloutsOptions, "model"> & { readonly rolloutsPerExample: number };

async function rolloutsOptions(environment: Environment, args: Arguments): Promise<WorkerOptions> {
  const split = args.split ?? (await trainingSplit(environment));
  const index = integerOption("index", args.index, 0);
  if (index !== undefined && args.examples !== undefined)
    throw new UsageError("--index selects a single example, so -n does not apply. Remove -n.");
  const count = index === undefined ? (integerOption("examples", args.examples) ?? 1) : index + 1;
  const dataset = {
    seed: integerOption("seed", args.seed, Number.MIN_SAFE_INTEGER) ?? 0,
    split,
  };
  const options = {
    ...dataset,
    examples: count,
    rolloutsPerExample: integerOption("rollouts", args.rollouts) ?? 1,
    concurrency: integerOption("concurrency", args.concurrency) ?? 32,
  };
  if (index === undefined) return options;
  let key: string | undefined;
  for await (const row of examples(environment, { ...dataset, count })) {
    if (row.index === index) ({ key } = row);
  }
  if (key === undefined)
    throw new UsageError(
      `${environment.name} has no example with index ${index}${split === undefined ? "" : ` in the split ${split}`}.`,
    );
  return { ...options, skip: ({ exampleKey }) => exampleKey !== key };
}

/** A rollout without token ids counts as failed only if groups are written. */
function failureOf(rollout: Rollout, groups: string | undefined) {
  if (groups !== undefined) return groupFailure(rollout);
  return rollout.status === "failed" ? rollout.error : undefined;
}
