import { abortAfter } from "../abort.ts";
import { type Asking, requestOf } from "../episode/drive.ts";
import { asRolloutError, isRolloutError } from "../errors.ts";
import type { HookScope } from "../hook-scope.ts";
import { frozenCopy } from "../json.ts";
import {
  checkResponse,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type Sampling,
} from "../model/model.ts";

interface AskOptions {
  readonly model: Model;
  readonly sampling?: Sampling | undefined;
  readonly turnTimeout?: number | undefined;
  readonly seed: number;
  readonly session: string;
  readonly scope: HookScope;
  readonly controller: AbortController;
  readonly onCall: ModelRequest["onCall"];
}

/** Requests the model's next message; `undefined` if the conversation exceeds the model's context. */
export async function askModel(
  asking: Asking,
  { model, sampling, turnTimeout, seed, session, scope, controller, onCall }: AskOptions,
): Promise<ModelResponse | undefined> {
  const timer = abortAfter(controller, turnTimeout, "The model's turn");
  try {
    const request = requestOf(asking, {
      sampling: frozenCopy(sampling),
      seed,
      session,
      signal: controller.signal,
      onCall,
    });
    return checkResponse(await scope.run("model", "the model", () => model(request)));
  } catch (error) {
    if (isRolloutError(error) && error.isOverflow) return undefined;
    throw asRolloutError("model", "the model", error);
  } finally {
    clearTimeout(timer);
  }
}
