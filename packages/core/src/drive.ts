import type { Environment } from "./environment.ts";
import { episode, type Episode, type EpisodeOptions } from "./episode.ts";
import type { Example } from "./example.ts";
import { assistantMessages, type Message } from "./message.ts";

/**
 * Brings an episode to where a conversation stands, by taking the model's messages from it. The caller closes it.
 * If the environment answers differently from `completion`, the two were not the same example, seed or version.
 */
export async function replay<E extends Example, State, Name extends string>(
  environment: Environment<E, State, Name>,
  example: E,
  options: EpisodeOptions & { readonly completion: readonly Message[] },
): Promise<Episode<State, Name>> {
  const resumed = episode(environment, example, options);
  await resumed.start();
  for (const message of assistantMessages(options.completion)) await resumed.step(message);
  return resumed;
}
