import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";

/** A module that other processes can load. JSON. */
export interface ModuleReference {
  /** A URL. The default export is a function. */
  readonly module: string;
  /** The function's second argument. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** Imports the function that a module exports. `kind` names what it returns, in errors. */
export async function loadFactory(
  { module }: ModuleReference,
  kind: string,
): Promise<(...args: never[]) => unknown> {
  let factory: unknown;
  try {
    ({ default: factory } = (await import(module)) as { readonly default?: unknown });
  } catch (error) {
    throw new ConfigError(`The ${kind} ${module} could not be loaded: ${messageOf(error)}`, [], {
      cause: error,
    });
  }
  if (typeof factory === "function") return factory as (...args: never[]) => unknown;
  throw new ConfigError(
    `${module} does not export a ${kind}. Its default export must be a function that returns one.`,
  );
}
