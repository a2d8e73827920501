import type { Branch, SubModelUsage } from "../model/branch.ts";
import { type Model, type ModelRequest, type ModelResponse } from "../model/model.ts";

/** A question to a judge. */
export interface JudgeRequest extends Omit<ModelRequest, "signal" | "askPolicy"> {
  /** Default: the signal of the rollout. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the answer may be stored for equal questions. Default: every answer is. */
  readonly accepts?: ((response: ModelResponse) => boolean) | undefined;
}

/**
 * The judge of a run, as scores call it: a model that answers equal questions once. Each answer counts in the rollout's
 * `judgeUsage`. An error fails the rollout with the code `score`.
 */
export interface Judge {
  (request: JudgeRequest): Promise<ModelResponse>;
  readonly id: string;
  /** Each judge, if the caller passed several; else only this one. Calling `judge` itself asks the first. */
  readonly panel: readonly Judge[];
}

/** The judge of a run: one model, or several that vote. */
export type JudgeModels = Model | readonly Model[];

/** What one judge cost. */
export interface JudgeUsage extends SubModelUsage {
  /** The number of answers that were there already, because another score or rollout had asked the same. */
  readonly cached: number;
}

/** What judges cost, by the name of the judge. */
export type JudgeUsages = Readonly<Record<string, JudgeUsage>>;

/** An answer of a judge that a rollout has paid for. */
export interface JudgeCall extends ModelResponse, Pick<Branch, "messages" | "model"> {
  readonly judge: string;
}

/** Keeps answers of judges beyond a run. */
export interface JudgeStore {
  get(key: string): ModelResponse | undefined;
  set(key: string, response: ModelResponse): void;
}

/** How judges are asked. */
export interface JudgeOptions {
  /** The maximum number of concurrent questions to each judge. Default 32. */
  readonly judgeConcurrency?: number | undefined;
  /** The time limit of one answer with its retries, in milliseconds. Default 5 minutes; `Infinity`: none. */
  readonly judgeTimeout?: number | undefined;
  /** Where answers are kept beyond the run. Default: in memory, for the run. */
  readonly judgeStore?: JudgeStore | undefined;
}

/** The models of a judge, in order. */
export function modelsOf(judge: JudgeModels | undefined): readonly Model[] {
  if (judge === undefined) return [];
  return typeof judge === "function" ? [judge] : judge;
}

/** The name of a judge in records. */
export function judgeId(model: Model): string {
  return model.id ?? "judge";
}
