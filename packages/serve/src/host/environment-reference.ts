import { ConfigError, type Environment, type EnvironmentFactory } from "@envs/core";

import type { HostedEnvironment } from "./inline-host.ts";
import { importDefault } from "./load-factory.ts";

/** The module of an environment, so that other processes can load it. JSON. */
export interface EnvironmentReference {
  /** A URL, or the name of a package that this package can import. The default export is an environment's factory. */
  readonly module: string;
  /** The factory's argument. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  readonly version?: string | undefined;
  readonly readme?: string | undefined;
}

/** Creates the environment. Throws a `ConfigError` if the module has no factory, or the factory rejects the config. */
async function loadReference({
  module,
  config,
  version,
  readme,
}: EnvironmentReference): Promise<HostedEnvironment> {
  const factory = await importDefault(module, module);
  if (!isFactory(factory))
    throw new ConfigError(
      `${module} does not export an environment. Its default export must be the result of defineEnvironment().`,
    );
  return { environment: factory(config), version, readme };
}

/** An environment object runs in this process; a reference can be loaded in others. */
export type Servable = Environment | HostedEnvironment | EnvironmentReference;

export function isReference(servable: Servable): servable is EnvironmentReference {
  return "module" in servable;
}

/** Loads a reference. Throws like {@link loadReference}. */
export async function hostedEnvironment(servable: Servable): Promise<HostedEnvironment> {
  if (isReference(servable)) return loadReference(servable);
  return "environment" in servable ? servable : { environment: servable };
}

function isFactory(value: unknown): value is EnvironmentFactory {
  return typeof value === "function" && "definition" in value;
}
