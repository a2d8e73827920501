import { positionals } from "@envs/terminal";
import type { ArgsDef } from "citty";

import { configArguments, configOptions, readConfig } from "./config-options.ts";
import { loadEnvironment } from "./load-environment.ts";

/**
 * The arguments of a command that plays an environment: its own, and the options of the environment's config. `place`:
 * which of its words names the environment.
 */
export async function withConfigArguments(
  rawArgs: readonly string[],
  own: ArgsDef,
  place = 0,
): Promise<ArgsDef> {
  const reference = positionals(rawArgs, own)[place];
  if (reference === undefined) return own;
  const { factory } = await loadEnvironment(reference);
  return { ...configArguments(configOptions(factory.definition)), ...own };
}

/** The environment's config as a person gave it. An option that the command has itself is reached by `--config` only. */
export async function configFrom(
  args: Readonly<Record<string, unknown>> & {
    readonly environment?: string | undefined;
    readonly config?: string | undefined;
  },
  own: ArgsDef,
): Promise<Readonly<Record<string, unknown>>> {
  if (args.environment === undefined) return {};
  const { factory } = await loadEnvironment(args.environment);
  const options = configOptions(factory.definition).filter(({ flag }) => !Object.hasOwn(own, flag));
  return readConfig(options, args, args.config);
}
