import { isRolloutError, messageOf, RolloutError } from "../errors.ts";
import { addUsages } from "../model/branch.ts";
import type { ModelResponse } from "../model/model.ts";
import { noUsage } from "../model/usage.ts";
import {
  judgeId,
  type Judge,
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
      const { signal = this.#signal } = request;
      try {
        const { response, isCached } = await shared.answer({ ...request, signal });
        this.#add(id, response, isCached);
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

  #add(id: string, { usage }: ModelResponse, isCached: boolean): void {
    const call = isCached
      ? { cached: 1 }
      : { calls: 1, unknownCalls: usage === undefined ? 1 : 0, ...usage };
    this.usage = addUsages(this.usage, { [id]: { ...none, ...call } });
  }
}
