import type { Example } from "../dataset/example.ts";
import type { Environment } from "../definition/environment.ts";
import { type Message, repliesOf } from "../message/message.ts";
import type { ModelRequest } from "../model/model.ts";
import { episode, type Episode } from "./episode.ts";
import type { EpisodeOptions } from "./options.ts";

interface RequestOptions extends Pick<ModelRequest, "sampling" | "session" | "signal" | "onCall"> {
  /** Seeds a local model's sampling and a policy's choices. */
  readonly seed: number;
}

/** The source of a request: an episode, or the conversation of one of its seats. */
export type Asking = Pick<Episode, "messages" | "tools" | "workspace" | "askPolicy">;

/** Builds the request for the next message of a model. */
export function requestOf(current: Asking, options: RequestOptions): ModelRequest {
  return {
    messages: current.messages.slice(),
    tools: current.tools.length > 0 ? current.tools : undefined,
    workspace: current.workspace,
    ...options,
    askPolicy: (name, parameter) => current.askPolicy(name, options.seed, parameter),
  };
}

/**
 * Restores an episode from a recorded conversation, by stepping it with the model's messages. The caller closes it. If the
 * restored conversation differs from `completion`, the example, the seed or the environment's version is not the same.
 */
export async function replay<E extends Example, State, Name extends string>(
  environment: Environment<E, State, Name>,
  example: E,
  options: EpisodeOptions & { readonly completion: readonly Message[] },
): Promise<Episode<State, Name>> {
  const resumed = episode(environment, example, options);
  await resumed.start();
  for (const message of repliesOf(options.completion)) await resumed.step(message);
  return resumed;
}
