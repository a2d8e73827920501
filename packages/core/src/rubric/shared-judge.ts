import pLimit from "p-limit";

import { onAbort, runWithLimit } from "../abort.ts";
import { contentHash } from "../json.ts";
import { checkResponse, type Model, type ModelResponse } from "../model/model.ts";
import {
  judgeId,
  type JudgeModels,
  type JudgeOptions,
  type JudgeRequest,
  modelsOf,
} from "./judge.ts";

/** The answer of a shared judge. */
export interface SharedAnswer {
  readonly response: ModelResponse;
  /** Another question has paid for the answer. */
  readonly isCached: boolean;
}

type Question = JudgeRequest & { readonly signal: AbortSignal };

/** A model that every rollout of a run asks. */
export interface SharedJudge extends Model {
  readonly answer: (question: Question) => Promise<SharedAnswer>;
}

/** Wraps the judges of a run. Returns an already wrapped model unchanged, so that its answers remain shared. */
export function sharedJudges(
  judge: JudgeModels | undefined,
  options: JudgeOptions = {},
): readonly SharedJudge[] {
  return modelsOf(judge).map((model) => (isShared(model) ? model : sharedJudge(model, options)));
}

const wrapped = new WeakSet<Model>();

function isShared(model: Model): model is SharedJudge {
  return wrapped.has(model);
}

/** One question that is under way, and how many callers wait for it. */
interface Call {
  readonly controller: AbortController;
  readonly answer: Promise<ModelResponse>;
  waiting: number;
  isPaid: boolean;
}

/** The maximum number of answers in memory, for runs of a million rollouts. */
const maxAnswers = 10_000;
const defaultTimeout = 300_000;

/** Makes a model answer equal questions once, also concurrent ones, and limits its concurrency. */
function sharedJudge(model: Model, options: JudgeOptions): SharedJudge {
  const { judgeConcurrency = 32, judgeTimeout = defaultTimeout, judgeStore } = options;
  const limit = pLimit(judgeConcurrency);
  const answers = new Map<string, ModelResponse>();
  const calls = new Map<string, Call>();
  const id = judgeId(model);

  const ask = async (question: Question, controller: AbortController): Promise<ModelResponse> => {
    const { accepts: _, ...request } = question;
    let response: ModelResponse | undefined;
    const limited = { controller, signal: undefined, timeout: judgeTimeout, operation: "It" };
    const failure = await runWithLimit(limited, async () => {
      response = checkResponse(await model({ ...request, signal: controller.signal }));
    });
    if (response === undefined || failure !== undefined) throw failure;
    return response;
  };

  const keep = (key: string, response: ModelResponse): void => {
    if (answers.size >= maxAnswers) answers.delete(answers.keys().next().value!);
    answers.set(key, response);
    judgeStore?.set(key, response);
  };

  const open = (key: string, question: Question): Call => {
    const controller = new AbortController();
    const answer = limit(async () => {
      const response = await ask(question, controller);
      // Stores the answer before `calls` drops the call, so that the next caller finds one of them.
      if (question.accepts?.(response) !== false) keep(key, response);
      return response;
    }).finally(() => {
      if (calls.get(key) === call) calls.delete(key);
    });
    // If all callers have stopped waiting, no code reads the error.
    answer.catch(() => {});
    const call = { controller, answer, waiting: 0, isPaid: false };
    calls.set(key, call);
    return call;
  };

  const answer = async (question: Question): Promise<SharedAnswer> => {
    const { messages, tools, sampling, seed, signal } = question;
    signal.throwIfAborted();
    const key = contentHash({ judge: id, messages, tools, sampling, seed });
    const known = answers.get(key) ?? judgeStore?.get(key);
    if (known !== undefined) return { response: known, isCached: true };
    const call = calls.get(key) ?? open(key, question);
    const response = await untilAnswered(call, signal, () => calls.delete(key));
    const isCached = call.isPaid;
    call.isPaid = true;
    return { response, isCached };
  };

  const shared: Model = async (request) => (await answer(request)).response;
  wrapped.add(shared);
  return Object.assign(shared, { id, check: model.check, answer });
}

/** Waits for a call. The call is aborted when its last caller stops waiting. */
function untilAnswered(
  call: Call,
  signal: AbortSignal,
  abandon: () => void,
): Promise<ModelResponse> {
  call.waiting += 1;
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => {
      reject(signal.reason as Error);
      call.waiting -= 1;
      if (call.waiting > 0) return;
      abandon();
      call.controller.abort(signal.reason);
    });
    call.answer.then(resolve, reject).finally(unsubscribe);
  });
}
