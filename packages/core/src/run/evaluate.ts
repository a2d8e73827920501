import type { Example } from "../dataset/example.ts";
import type { Environment } from "../definition/environment.ts";
import type { Rollout } from "../rollout/record.ts";
import { rollouts, type RolloutsOptions } from "./run.ts";
import { summarizer, type Summary, type SummarizerOptions } from "./summary.ts";

export interface EvaluateOptions<
  E extends Example = Example,
  Name extends string = string,
  Seat extends string = never,
>
  extends RolloutsOptions<E, Name, Seat>, SummarizerOptions {}

/** The summary of an evaluation, with its rollouts. */
export interface Evaluation<
  E extends Example = Example,
  Name extends string = string,
> extends Summary<Name> {
  /** In dataset order. */
  readonly rollouts: readonly Rollout<E, Name>[];
}

/** Evaluates a model on an environment, or a model for each seat: plays rollouts and summarizes them. */
export async function evaluate<
  E extends Example,
  State,
  Name extends string,
  Seat extends string = string,
>(
  environment: Environment<E, State, Name, Seat>,
  options: EvaluateOptions<E, Name, NoInfer<Seat>>,
): Promise<Evaluation<E, Name>> {
  const summary = summarizer(environment, options);
  const played: Rollout<E, Name>[] = [];
  for await (const rollout of rollouts(environment, options)) {
    summary.add(rollout);
    played.push(rollout);
  }
  played.sort((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex);
  return { ...summary.summary(), rollouts: played };
}
