import type { ArgsDef } from "citty";

import { positionals } from "../terminal/arguments.ts";
import { configArguments, configOptions, readConfig } from "./config-options.ts";
import { loadEnvironment } from "./load-environment.ts";

/**
 * Adds the config options of the named environment to a command's arguments. The environment is the positional argument
 * at `position`.
 */
export async function withConfigFlags(
  rawArgs: readonly string[],
  ownArguments: ArgsDef,
  position = 0,
): Promise<ArgsDef> {
  const reference = positionals(rawArgs, ownArguments)[position];
  if (reference === undefined) return ownArguments;
  const { factory } = await loadEnvironment(reference);
  return { ...configArguments(configOptions(factory.definition)), ...ownArguments };
}

/** Reads the environment's config from the arguments. The command's own options hide config options of the same name; `--config` sets those. */
export async function configFromArguments(
  args: Readonly<Record<string, unknown>> & {
    readonly environment?: string | undefined;
    readonly config?: string | undefined;
  },
  ownArguments: ArgsDef,
): Promise<Readonly<Record<string, unknown>>> {
  if (args.environment === undefined) return {};
  const { factory } = await loadEnvironment(args.environment);
  const options = configOptions(factory.definition).filter(
    ({ flag }) => !Object.hasOwn(ownArguments, flag),
  );
  return readConfig(options, args, args.config);
}
