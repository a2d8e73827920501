import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { EnvironmentReference } from "@envs/serve";
import { didYouMean, positionals, UsageError } from "@envs/terminal";
import type { ArgsDef } from "citty";

import { configArguments, configOptions, readConfig } from "./config-options.ts";
import { type LoadedEnvironment, loadEnvironment } from "./load-environment.ts";

/** The arguments of a command for several environments. Flags of a config are there only while one environment is meant. */
export async function argumentsForSeveral(
  rawArgs: readonly string[],
  own: ArgsDef,
): Promise<ArgsDef> {
  const [first] = positionals(rawArgs, own);
  if (first === undefined) return own;
  const { factory } = await loadEnvironment(first);
  const flags = configArguments(configOptions(factory.definition));
  const all = { ...flags, ...own };
  if (positionals(rawArgs, all).length === 1) return all;
  const given = Object.keys(flags).find(
    (flag) =>
      !Object.hasOwn(own, flag) &&
      rawArgs.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`)),
  );
  if (given === undefined) return own;
  throw new UsageError(
    `--${given} does not say which of the environments it is for. Write: --config '{"${factory.definition.name}": {…}}'`,
  );
}

/** An environment to serve: where its threads find it. */
export interface EnvironmentToServe {
  readonly name: string;
  readonly reference: EnvironmentReference;
}

/** The environments to serve, each with its config and what its package says of it. */
export async function environmentsToServe(
  references: readonly string[],
  args: Readonly<Record<string, unknown>>,
  own: ArgsDef,
): Promise<readonly EnvironmentToServe[]> {
  const loaded = await Promise.all(references.map((reference) => loadEnvironment(reference)));
  const json = typeof args.config === "string" ? args.config : undefined;
  const [only] = loaded;
  if (loaded.length === 1 && only !== undefined) {
    const options = configOptions(only.factory.definition);
    const free = options.filter(({ flag }) => !Object.hasOwn(own, flag));
    return [await toServe(only, readConfig(free, args, json))];
  }
  const configs = readConfig([], {}, json);
  const names = loaded.map(({ factory }) => factory.definition.name);
  const stray = Object.keys(configs).find((name) => !names.includes(name));
  if (stray !== undefined)
    throw new UsageError(
      `--config is for ${JSON.stringify(stray)}, which is none of the environments.${didYouMean(stray, names)} Write: --config '{"${names[0]}": {…}}'`,
    );
  return await Promise.all(
    loaded.map((each) => toServe(each, configs[each.factory.definition.name])),
  );
}

async function toServe(
  { factory, module, root, version }: LoadedEnvironment,
  given: unknown = {},
): Promise<EnvironmentToServe> {
  // A wrong config is refused here, before any thread starts.
  const config = given as NonNullable<EnvironmentReference["config"]>;
  const { name } = factory(config);
  const readme =
    root === undefined
      ? undefined
      : await readFile(join(root, "README.md"), "utf8").catch(() => undefined);
  return { name, reference: { module, config, version, readme } };
}
