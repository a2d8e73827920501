import { join } from "node:path";

import {
  type EnvsCommand,
  growYoungGeneration,
  integerOption,
  onInterrupt,
  paint,
  printResult,
  UsageError,
  type ArgsDef,
  loadConfigFile,
} from "@envs/cli/kit";
import {
  configFromArguments,
  withConfigFlags,
  environmentFiles,
  loadEnvironment,
} from "@envs/cli/kit/environments";
import { nearPath, pathArgument } from "@envs/cli/kit/layout";
import {
  judgePlan,
  loadJudge,
  sharedModels,
  loadSubModel,
  subModelPlan,
} from "@envs/cli/kit/models";
import { newRunName } from "@envs/cli/kit/runs";
import { ConfigError } from "@envs/core";

import { runTraining } from "../node/run-training.ts";
import { readState, trainingRuns } from "../node/training-folder.ts";
import { writeReport } from "../node/write-report.ts";
import { backendOf, baseModelOf, isLocal } from "../train/model-settings.ts";
import { dashboard } from "./training/dashboard.ts";
import { doctor } from "./training/doctor.ts";
import { trainingQueue } from "./training/load-queue.ts";
import { startLocalModel } from "./training/local-model.ts";
import { trainingOutcomeText } from "./training/outcome-text.ts";
import { overridePlan, recipeOf, threadWarning } from "./training/recipe.ts";
import { checkResumedTraining } from "./training/resumed-training.ts";
import { serviceOptions } from "./training/service-arguments.ts";
import { connectService, servicePlan } from "./training/service.ts";
import { loadConversations } from "./training/sft-conversations.ts";
import { rejectSmokeConflicts, smokeTest } from "./training/smoke-test.ts";
import { trainArguments } from "./training/train-arguments.ts";
import { loadTrainingAgent, resumedAgent } from "./training/training-agent.ts";
import { loadTrainingJudge, resumedJudge, resumedSubModel } from "./training/training-judge.ts";
import {
  createTrainingRecord,
  findResumableTraining,
  readEarlierMetrics,
} from "./training/training-run.ts";

export const command: EnvsCommand<typeof trainArguments> = {
  meta: {
    name: "train",
    description:
      "Train a language model on an environment: a tiny one, an adapter of a real one on this machine (--model), or a large one on a service; first on selected rollouts (supervised), then by reinforcement learning. Ctrl-C stops a run, and --resume continues it",
  },
  everydayOptions: [
    "config",
    "phases",
    "from",
    "resume",
    "smoke",
    "seed",
    "model",
    "backend",
    "base-url",
    "judge",
    "save",
    "json",
  ],
  args: trainArguments,

  bareValues: { "--resume": "latest" },

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    // Without --smoke, the recipe sets the environment's config.
    if (!rawArgs.includes("--smoke")) return trainArguments;
    return withConfigFlags(rawArgs, trainArguments);
  },

  async run({ args }): Promise<number> {
    growYoungGeneration();
    const seed = integerOption("seed", args.seed, 0);
    const threads = integerOption("threads", args.threads);
    const { baseURL, apiKeyVariable, price, ...model } = serviceOptions(args);
    const address = { baseURL, apiKeyVariable, price };
    const phases = args.phases?.split(",");
    const overrides = { seed, threads, phases, from: args.from, ...model };
    const { environment, config } = args;
    if (args.doctor === true)
      return doctor({ environment, config, overrides, address, isJson: args.json === true });
    if (environment === undefined && args.resume === undefined)
      throw new UsageError("Missing environment. Example: envs train tictactoe");
    const isJson = args.json === true;
    const asked = judgePlan(args);
    const { endpoints } = await loadConfigFile(args["config-file"]);
    if (args.smoke === true) {
      rejectSmokeConflicts(args);
      const isQuiet = args.quiet === true;
      const config = await configFromArguments(args, trainArguments);
      const loaded = await loadEnvironment(args.environment ?? "");
      const judge = await loadJudge(loaded.factory(config), asked, endpoints);
      const models = judge && sharedModels(judge, asked);
      try {
        return await smokeTest(loaded, { config, seed, threads, judge: models, isJson, isQuiet });
      } finally {
        await judge?.close();
      }
    }
    const note = (text: string): void => void (isJson || process.stderr.write(`${text}\n`));

    const { resume } = args;
    const resumed =
      resume === undefined ? undefined : await findResumableTraining({ ...args, resume });
    const loaded = await loadEnvironment(
      resumed?.record.environment.reference ?? args.environment ?? "",
    );
    const recipe = await recipeOf(loaded, args.config, resumed?.record.plan);
    const files = await environmentFiles(loaded);
    if (resumed !== undefined)
      checkResumedTraining(resumed, {
        environment:
          args.environment === undefined ? loaded : await loadEnvironment(args.environment),
        files,
        recipe: args.config === undefined ? undefined : recipe,
        overrides,
      });
    const plan = resumed?.record.plan ?? overridePlan(recipe.plan, overrides);
    const warning = threadWarning(plan);
    if (warning !== undefined) note(paint("yellow", warning));
    const service = servicePlan(plan, address, resumed?.record);
    const baseModel = baseModelOf(plan.model);
    const { factory } = loaded;
    const judgment = resumed === undefined ? asked : resumedJudge(asked, resumed.record);
    const judge = await loadTrainingJudge(factory, plan, judgment, endpoints);
    const models = judge && sharedModels(judge, judgment);
    const subModels = resumedSubModel(subModelPlan(args), resumed?.record);
    const subModel = await loadSubModel(factory(), subModels, endpoints);
    const agentName = resumedAgent(args.agent, resumed?.record);
    const agent = agentName === undefined ? undefined : await loadTrainingAgent(agentName);
    const queue = await trainingQueue({
      args,
      environment: loaded,
      files,
      record: resumed?.record,
      service: service && { ...service, apiKeyVariable },
      judge: { ...judgment, judge: judge?.name },
      subModel: subModels,
      agent: agentName,
      endpoints,
      note,
    });
    const { name } = factory.definition;
    const path = resumed?.path ?? join(trainingRuns(args.save, name), newRunName());
    note(
      `${paint("bold", name)} · ${Object.keys(plan.phases).join(" → ")} · seed ${plan.seed}\n${paint("dim", `saving to ${nearPath(path)}`)}`,
    );

    const interrupt = onInterrupt(() =>
      note(paint("yellow", "\nStopping after this step. Press Ctrl-C again to exit immediately.")),
    );
    const display =
      isJson || args.quiet === true
        ? undefined
        : dashboard(
            `${name} · ${baseModel === undefined ? "" : `${baseModel} · `}seed ${plan.seed}`,
            plan,
            resumed === undefined ? undefined : await readEarlierMetrics(path),
          );
    try {
      const start = { seed: plan.seed, isNew: resumed === undefined, onWait: note };
      const backend =
        (service && (await connectService(service, start))) ??
        (isLocal(plan.model) ? await startLocalModel(plan.model, start) : undefined);
      const outcome = await runTraining({
        factory,
        path,
        record:
          resumed === undefined
            ? createTrainingRecord({ ...loaded, files }, plan, {
                ...args,
                judge: judge?.name,
                subModel: subModels.subModel,
                agent: agentName,
                service: service?.record,
                queue: queue?.record,
              })
            : undefined,
        chats: loadConversations(factory, {
          seed: plan.seed,
          judge: models,
          onDuplicates: note,
          onProgress: (text) => display?.prepare(text),
          signal: interrupt.signal,
          play: queue?.playPolicy,
        }),
        agent: agent && ((policy) => agent.withModel(policy)),
        play: queue?.play,
        backend,
        // The exact evaluation requests a reply in every line of play, which is too many requests for a large model.
        exact: backend === undefined ? recipe.exact : undefined,
        judge: models,
        subModel: subModel?.model,
        signal: interrupt.signal,
        onTokenized: (count, total) =>
          display?.prepare(`tokenized ${count} of ${total} conversations`),
        onTokenizer: (description) => note(`tokenizer: ${description}`),
        onEvent: (event, row) => display?.handle(event, row),
      });
      display?.done();
      const report = await writeReport(path);
      const { isComplete, cells: stages } = outcome;
      printResult(
        isJson,
        { run: path, is_complete: isComplete, report, stages },
        trainingOutcomeText(outcome, {
          reportPath: report,
          prefix: backendOf(plan.model),
        }),
      );
      return isComplete ? 0 : 1;
    } catch (error) {
      display?.done();
      throw await withRunFolder(error, path);
    } finally {
      interrupt.dispose();
      await judge?.close();
      await subModel?.close();
      await queue?.[Symbol.asyncDispose]();
    }
  },
};

/** Adds the run's folder to an error, so that the user can continue from its last checkpoint. Writes the report. */
async function withRunFolder(failure: unknown, path: string): Promise<unknown> {
  const state = await readState(path).catch(() => undefined);
  if (!(failure instanceof Error) || state === undefined) return failure;
  await writeReport(path).catch(() => {});
  return new ConfigError(
    `${failure.message}\nThe run is saved in ${nearPath(path)}, up to step ${state.step} of ${state.phase}. To resume it there: envs train --resume ${pathArgument(path)}. To continue with another recipe: envs train … --from ${pathArgument(path)}`,
    [],
    { cause: failure },
  );
}
