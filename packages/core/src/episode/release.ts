import type { EpisodeContext } from "../definition/context.ts";
import type { AnyDefinition } from "../definition/environment.ts";
import type { ReleaseStep } from "../hook-scope.ts";

/** The steps that release an episode's state: `close`, then the disposal of what `setup` returned, the last field first. */
export function releaseSteps(
  { episode: { close } = {} }: Pick<AnyDefinition, "episode">,
  context: EpisodeContext<never, never, unknown, never>,
): readonly ReleaseStep[] {
  const disposals = disposalsOf(context.state);
  if (close === undefined) return disposals;
  return [{ operation: "close", release: () => close(context) }, ...disposals];
}

/** A disposable state disposes its fields itself. */
function disposalsOf(state: unknown): readonly ReleaseStep[] {
  if (typeof state !== "object" || state === null) return [];
  const whole = disposal("the disposal of the state", state);
  if (whole !== undefined) return [whole];
  const steps = new Map<unknown, ReleaseStep>();
  for (const [name, value] of Object.entries(state)) {
    const step = disposal(`the disposal of state.${name}`, value);
    if (step !== undefined && !steps.has(value)) steps.set(value, step);
  }
  return [...steps.values()].toReversed();
}

function disposal(operation: string, value: unknown): ReleaseStep | undefined {
  if ((typeof value !== "object" && typeof value !== "function") || value === null)
    return undefined;
  const resource = value as Partial<AsyncDisposable & Disposable>;
  // Engines without explicit resource management lack the symbols.
  for (const symbol of [Symbol.asyncDispose, Symbol.dispose] as const)
    if (typeof symbol === "symbol" && typeof resource[symbol] === "function")
      return { operation, release: () => resource[symbol]!() };
  return undefined;
}
