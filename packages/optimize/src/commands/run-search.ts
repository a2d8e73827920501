import { join } from "node:path";

import { writeFileAtomically, UsageError, type Endpoint } from "@envs/cli/kit";
import {
  loadJudge,
  loadModel,
  type LoadedModel,
  loadSubModel,
  otherCosts,
  type KnownPrice,
} from "@envs/cli/kit/models";
import type { PromptsFile } from "@envs/cli/kit/runs";
import type { Environment } from "@envs/core";
import { factsOf } from "@envs/core/engine";

import { openJournal } from "../node/journal-file.ts";
import { optimize } from "../optimize.ts";
import type { OptimizeEvent, OptimizeResult } from "../options.ts";
import { reportMarkdown } from "../report.ts";
import type { OptimizePlan } from "./optimize-plan.ts";

export interface SearchOptions {
  /** The folder with the journal. */
  readonly path: string;
  readonly plan: OptimizePlan;
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly signal: AbortSignal;
  /** Called before the first rollout, once the models are loaded. */
  readonly onReady: () => Promise<void>;
  readonly onEvent: (event: OptimizeEvent) => void;
}

/** The result of a search, with the prices that its cost was computed by. */
export interface SearchResult extends OptimizeResult {
  readonly prices: {
    readonly model: KnownPrice | undefined;
    readonly reflection: KnownPrice | undefined;
  };
}

/** Loads the models of a search, and searches. */
export async function runSearch(
  environment: Environment,
  { path, plan, endpoints, signal, onReady, onEvent }: SearchOptions,
): Promise<SearchResult> {
  await using stack = new AsyncDisposableStack();
  const closing = <Loaded extends Pick<LoadedModel, "close"> | undefined>(
    loaded: Loaded,
  ): Loaded => {
    if (loaded !== undefined) stack.defer(() => loaded.close());
    return loaded;
  };
  const { concurrency, apiKeyVariable, baseURL, reflectionBaseURL = baseURL, budget } = plan;
  const common = { endpoints, apiKeyVariable, concurrency };
  const player = closing(await loadModel(plan.model, { ...common, baseURL }));
  const reflection = closing(
    await loadModel(plan.reflection, { ...common, baseURL: reflectionBaseURL }),
  );
  const unpriced = [
    ...(player.price === undefined ? [plan.model] : []),
    ...(reflection.price === undefined ? [plan.reflection] : []),
  ];
  if (budget.cost !== undefined && unpriced.length > 0)
    throw new UsageError(
      `--max-cost requires the prices of both models. Unknown: ${[...new Set(unpriced)].join(", ")}. Add an endpoint with a price to envs.config.ts, or pass --max-rollouts instead.`,
    );
  const judge = closing(await loadJudge(environment, plan, endpoints));
  const subModel = closing(await loadSubModel(environment, plan, endpoints));
  await onReady();
  const result = await optimize(environment, {
    ...plan,
    concurrency: Math.min(concurrency, player.concurrency ?? concurrency),
    model: player.model,
    reflection: reflection.model,
    price: player.price,
    reflectionPrice: reflection.price,
    judge: judge?.models,
    judgeStore: judge?.store,
    subModel: subModel?.model,
    otherCost(rollout) {
      const { judgeUsage, subModelUsage } = factsOf(rollout);
      const { price } = subModel ?? player;
      const { helpers } = player;
      const others = otherCosts(subModelUsage, { price, helpers });
      const costs = [
        judgeUsage && judge?.costOf(judgeUsage),
        others.subModelCost,
        ...Object.values(others.helperCosts ?? {}),
      ];
      return costs.reduce<number>((sum, cost = 0) => sum + cost, 0);
    },
    journal: openJournal(join(path, "journal.jsonl")),
    signal,
    onEvent,
  });
  return { ...result, prices: { model: player.price, reflection: reflection.price } };
}

/** Writes the best prompts, the report and the figures of a search. */
export async function saveResult(path: string, result: SearchResult): Promise<void> {
  const { environment, best, candidates, ...figures } = result;
  const prompts: PromptsFile = { environment, prompts: { ...best.prompts } };
  const json = {
    environment,
    best: best.id,
    ...figures,
    candidates: candidates.map(
      ({ id, parents, changed, prompts: texts, mean, rollouts, rewards }) => {
        const byExample = Object.fromEntries(rewards);
        return { id, parents, changed, prompts: texts, mean, rollouts, rewards: byExample };
      },
    ),
  };
  const files = {
    "prompts.json": `${JSON.stringify(prompts, null, 2)}\n`,
    "report.md": reportMarkdown(result),
    "result.json": `${JSON.stringify(json, null, 2)}\n`,
  };
  for (const [name, text] of Object.entries(files))
    await writeFileAtomically(join(path, name), { text });
}
