import { isRolloutError, messageOf, RolloutError } from "../errors.ts";
import { addUsages } from "../model/branch.ts";
import { now } from "../model/clock.ts";
import type { ModelResponse } from "../model/model.ts";
import { noUsage } from "../model/usage.ts";
import {
  judgeId,
  type Judge,
  type JudgeCall,
  type JudgeModels,
  type JudgeRequest,
  type JudgeUsage,
  type JudgeUsages,
} from "./judge.ts";
import { type SharedJudge, sharedJudges } from "./shared-judge.ts";

const none: JudgeUsage = { calls: 0, cached: 0, ...noUsage, unknownCalls: 0 };

/** The judges of one rollout, and what they cost it. */
export class RecordedJudge {
  /** What the rollout's scores receive; `undefined` without a judge. */
  readonly judge: Judge | undefined;
  readonly calls: JudgeCall[] = [];
  /** What the judges have cost so far; `undefined` if none was asked. */
  usage: JudgeUsages | undefined;
  readonly #signal: AbortSignal;

  constructor(judges: JudgeModels | undefined, signal: AbortSignal) {
    this.#signal = signal;
    const panel: Judge[] = [];
    for (const shared of sharedJudges(judges)) panel.push(this.#record(shared, panel));
    this.judge = panel[0];
  }

  #record(shared: SharedJudge, panel: readonly Judge[]): Judge {
    const id = judgeId(shared);
    const ask = async (request: JudgeRequest): Promise<ModelResponse> => {
      const { signal = this.#signal, messages } = request;
      const start = now();
      try {
        const { response, isCached } = await shared.answer({ ...request, signal });
        const { usage } = response;
        const paid = { calls: 1, unknownCalls: usage === undefined ? 1 : 0, ...usage };
        const cost = isCached ? { cached: 1 } : paid;
        this.usage = addUsages(this.usage, { [id]: { ...none, ...cost } });
        const call = { ...response, judge: id, messages, model: { start, end: now() } };
        if (!isCached) this.calls.push(call);
        return response;
      } catch (error) {
        signal.throwIfAborted();
        const isFatal = isRolloutError(error) && error.isFatal;
        const message = `The judge ${id} failed: ${messageOf(error)}`;
        throw new RolloutError("score", message, { cause: error, isFatal });
      }
    };
    return Object.assign(ask, { id, panel });
  }
}
