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
  const factory = await importDefault(module, `The ${kind} ${module}`);
  if (typeof factory === "function") return factory as (...args: never[]) => unknown;
  throw new ConfigError(
    `${module} does not export a ${kind}. Its default export must be a function that returns one.`,
  );
}

/** Imports the default export of a module. `subject` names it in errors. */
export async function importDefault(module: string, subject: string): Promise<unknown> {
  try {
    return ((await import(module)) as { readonly default?: unknown }).default;
  } catch (error) {
    throw new ConfigError(`${subject} could not be loaded: ${messageOf(error)}`, [], {
      cause: error,
    });
  }
}
