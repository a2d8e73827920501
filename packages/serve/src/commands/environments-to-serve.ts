import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { didYouMean, positionals, UsageError, type ArgsDef } from "@envs/cli/kit";
import {
  configArguments,
  configOptions,
  readConfig,
  loadEnvironment,
  type LoadedEnvironment,
} from "@envs/cli/kit/environments";
import type { Environment } from "@envs/core";

import type { EnvironmentReference } from "../host/environment-reference.ts";

/** The arguments of a command for several environments. Config options become flags only if the command line names one environment. */
export async function argumentsForEnvironments(
  rawArgs: readonly string[],
  ownArguments: ArgsDef,
): Promise<ArgsDef> {
  const [first] = positionals(rawArgs, ownArguments);
  if (first === undefined) return ownArguments;
  const { factory } = await loadEnvironment(first);
  const configFlags = configArguments(configOptions(factory.definition));
  const allArguments = { ...configFlags, ...ownArguments };
  if (positionals(rawArgs, allArguments).length === 1) return allArguments;
  const ambiguous = Object.keys(configFlags).find(
    (flag) =>
      !Object.hasOwn(ownArguments, flag) &&
      rawArgs.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`)),
  );
  if (ambiguous === undefined) return ownArguments;
  throw new UsageError(
    `--${ambiguous} is ambiguous: the command line names several environments. Set the option per environment: --config '{"${factory.definition.name}": {…}}'`,
  );
}

/** An environment to serve, with the reference from which the processes of a server load it. */
export interface EnvironmentToServe {
  readonly environment: Environment;
  readonly reference: EnvironmentReference;
}

/** Loads the environments to serve, each with its config and its package's version and README. */
export async function environmentsToServe(
  references: readonly string[],
  args: Readonly<Record<string, unknown>>,
  ownArguments: ArgsDef,
): Promise<readonly EnvironmentToServe[]> {
  const loaded = await Promise.all(references.map((reference) => loadEnvironment(reference)));
  const json = typeof args.config === "string" ? args.config : undefined;
  const [only] = loaded;
  if (loaded.length === 1 && only !== undefined) {
    const options = configOptions(only.factory.definition).filter(
      ({ flag }) => !Object.hasOwn(ownArguments, flag),
    );
    return [await environmentToServe(only, readConfig(options, args, json))];
  }
  const configs = readConfig([], {}, json);
  const names = loaded.map(({ factory }) => factory.definition.name);
  const unknown = Object.keys(configs).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `--config names ${JSON.stringify(unknown)}, which is not one of the environments.${didYouMean(unknown, names)} With several environments, pass configs by name: --config '{"${names[0]}": {…}}'`,
    );
  return await Promise.all(
    loaded.map((environment) =>
      environmentToServe(environment, configs[environment.factory.definition.name]),
    ),
  );
}

async function environmentToServe(
  { factory, module, root, version }: LoadedEnvironment,
  unchecked: unknown = {},
): Promise<EnvironmentToServe> {
  const config = unchecked as NonNullable<EnvironmentReference["config"]>;
  // The factory throws for an invalid config: report it before any process starts.
  const environment = factory(config);
  const readme =
    root === undefined
      ? undefined
      : await readFile(join(root, "README.md"), "utf8").catch(() => undefined);
  return { environment, reference: { module, config, version, readme } };
}
