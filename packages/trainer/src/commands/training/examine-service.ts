import { messageOf } from "@envs/core/engine";

import type { LossSettings } from "../../algorithms/loss-settings.ts";
import type { Backend } from "../../backend.ts";
import { describeService, type ServiceDescription } from "../../tinker/describe-service.ts";
import { neededLosses, planProblems } from "../../tinker/plan-problems.ts";
import { isServed, type ServedModelSettings } from "../../train/model-settings.ts";
import type { TrainingPlan } from "../../train/plan.ts";
import { connectService, type RunService } from "./service.ts";

/** The losses of services, and a loss of a recipe that needs each. */
const losses: Readonly<Record<string, LossSettings>> = {
  cross_entropy: { name: "cross_entropy" },
  importance_sampling: { name: "importance_sampling" },
  ppo: { name: "clip" },
  gspo: { name: "clip", importanceLevel: "sequence" },
  cispo: { name: "cispo" },
};

/** What a service can do, and what a recipe lacks there. */
export interface ServiceReport extends ServiceDescription {
  readonly baseURL: string;
  /** The model that the recipe or the command line names. */
  readonly trained?: TrainedModel | undefined;
  /** What keeps the recipe from running, with remedies. */
  readonly problems: readonly string[];
}

interface TrainedModel {
  readonly name: string;
  readonly loraRank: number;
  /** Why there is no room for a second adapter, which a resumed run needs while a killed client keeps its own; else `null`. */
  readonly spareAdapter: string | null;
  readonly contextLength: number | undefined;
  /** The texts of the tokens that end a reply. */
  readonly stopTokens: readonly string[];
  /** By name of the loss: why the service does not support it, or `null`. */
  readonly losses: Readonly<Record<string, string | null>>;
}

/**
 * Examines a service. With a base model, it creates an adapter of the plan's rank and a second one, asks for each loss, and
 * unloads the adapters. It neither samples nor trains.
 */
export async function examineService(
  { baseURL, apiKey }: { readonly baseURL: string; readonly apiKey: string | undefined },
  plan: TrainingPlan | undefined,
): Promise<ServiceReport> {
  const description = await describeService(baseURL, apiKey);
  const report = { ...description, baseURL };
  if (plan === undefined || !isServed(plan.model)) return { ...report, problems: [] };
  const problems = [...planProblems(plan)];
  try {
    const service: RunService = { model: plan.model, apiKey, record: { base_url: baseURL } };
    const options = { seed: plan.seed, isNew: false, adapterTimeout: 0 };
    const backend = await connectService(service, options);
    try {
      const spareAdapter = await refusalOf(() => connectService(service, options));
      const trained = await trainedModel(backend, plan.model, spareAdapter);
      if (problems.length === 0)
        for (const name of neededLosses(plan))
          if (typeof trained.losses[name] === "string") problems.push(trained.losses[name]);
      return { ...report, trained, problems };
    } finally {
      await backend.close();
    }
  } catch (error) {
    return { ...report, problems: [...problems, messageOf(error)] };
  }
}

/** Why no further adapter can be created; `null` if one can. */
async function refusalOf(connect: () => Promise<Backend>): Promise<string | null> {
  try {
    await (await connect()).close();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

async function trainedModel(
  backend: Backend,
  { baseModel: name, loraRank }: ServedModelSettings,
  spareAdapter: string | null,
): Promise<TrainedModel> {
  const answers: Record<string, string | null> = {};
  for (const [loss, settings] of Object.entries(losses)) {
    try {
      await backend.check?.({ loss: settings, temperature: 1 });
      answers[loss] = null;
    } catch (error) {
      answers[loss] = messageOf(error);
    }
  }
  const { contextLength, renderer } = backend;
  const stopTokens = renderer.stopIds.map(String);
  return { name, loraRank, spareAdapter, contextLength, stopTokens, losses: answers };
}
