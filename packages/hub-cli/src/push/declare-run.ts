import { FailureError } from "@envs/cli/kit";
import type { EvaluationPlan, NewRun } from "@envs/cli/kit/runs";
import type { Environment } from "@envs/core";
import { examples, omitUndefined, splitSizesOf } from "@envs/core/engine";
import { declaredDetails } from "@envs/hub-client";
import { selectOf } from "@envs/viewer";

import type { RunConnection } from "../runs/run-connection.ts";

/** Declares a run to the hub that will receive it. Returns its plan with the seed that the hub has chosen. */
export async function declareRun(
  { connection, package: { name, contentHash }, version: { version, integrity } }: RunConnection,
  { environment, plan, model }: NewRun,
): Promise<EvaluationPlan> {
  if (plan.prompts !== undefined)
    throw new FailureError(
      "--prompts cannot be combined with --push: a hub checks runs of the published prompts. Put the prompts into the environment and publish it, or evaluate without --push.",
    );
  const { temperature, topP, maxTokens, stop } = plan.sampling;
  const { id, seed } = await connection.client.declareRun({
    package: name,
    version,
    integrity,
    contentHash,
    config: { ...environment.config },
    model,
    sampling: omitUndefined({ temperature, top_p: topP, max_tokens: maxTokens, stop }),
    split: plan.split ?? null,
    details: omitUndefined(
      Object.fromEntries(declaredDetails.map((field) => [field, plan[field]])),
    ),
    examples: Number.isFinite(plan.examples) ? plan.examples : null,
    size: await sizeOf(environment, plan),
    rolloutsPerExample: plan.rolloutsPerExample,
  });
  return { ...plan, declaration: id, seed, shuffle: true };
}

/** The number of rows from which a shuffle draws. */
const buffer = 10_000;

/** The number of examples to choose from. Null if there are more than a shuffle reads. */
async function sizeOf(environment: Environment, plan: EvaluationPlan): Promise<number | null> {
  const { split, select } = plan;
  const limit = buffer + Math.min(plan.examples, 10 * buffer);
  if (select === undefined) {
    const sizes = await splitSizesOf(environment, limit);
    const name = split ?? (sizes.some((each) => each.name === "eval") ? "eval" : sizes[0]?.name);
    return sizes.find((each) => each.name === (name ?? null))?.size ?? null;
  }
  let size = 0;
  for await (const _ of examples(environment, {
    split,
    select: selectOf(select),
    count: limit + 1,
  }))
    size += 1;
  return size > limit ? null : size;
}
