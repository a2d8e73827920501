import { isRolloutError, messageOf, RolloutError } from "../errors.ts";
import type { ModelResponse } from "../model/model.ts";
import {
  addJudgeUsages,
  judgeId,
  type Judge,
  type JudgeModels,
  type JudgeRequest,
  type JudgeUsages,
  noJudgeUsage,
} from "./judge.ts";
import { type SharedJudge, sharedJudges } from "./shared-judge.ts";

/** The judges of one rollout, and what they cost it. */
export class RecordedJudge {
  /** What the rollout's scores receive; `undefined` without a judge. */
  readonly judge: Judge | undefined;
  #usage: JudgeUsages = {};
  readonly #signal: AbortSignal;

  constructor(judges: JudgeModels | undefined, signal: AbortSignal) {
    this.#signal = signal;
    const panel: Judge[] = [];
    for (const shared of sharedJudges(judges)) panel.push(this.#record(shared, panel));
    this.judge = panel[0];
  }

  /** What the judges have cost so far; `undefined` if none was asked. */
  get usage(): JudgeUsages | undefined {
    return Object.keys(this.#usage).length === 0 ? undefined : this.#usage;
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
    this.#usage = addJudgeUsages(this.#usage, { [id]: { ...noJudgeUsage, ...call } });
  }
}
