import type { EpisodeContext } from "../definition/context.ts";
import type { Played } from "../definition/part.ts";
import { deepCopy, type Writable } from "../json.ts";
import { random, type Seed } from "../random.ts";

/** The context of an episode as the engine updates it. */
export type AnyContext = Writable<EpisodeContext<never, never, unknown, never>>;

const neverAborted = new AbortController().signal;

/** What all seats of an episode share. */
export type SharedContext = Omit<AnyContext, keyof OwnContext>;

/** What differs between the seats. */
type OwnContext = Pick<AnyContext, "seat" | "messages" | "reply" | "turns" | "reward">;

/** The options of an episode that a context depends on. */
interface ContextOptions {
  readonly seed?: Seed | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Creates what all hooks of an episode receive. */
export function newContext(
  { environment, example, key }: Played,
  { seed = 0, signal = neverAborted }: ContextOptions,
  { subModel }: Pick<AnyContext, "subModel">,
): SharedContext {
  return {
    config: environment.config as never,
    // Hooks may change it: the change must not reach other rollouts of the example.
    example: deepCopy(example) as never,
    // A part of a mix draws the numbers that it would draw alone.
    random: random(seed, key),
    signal,
    state: undefined,
    subModel,
  };
}
