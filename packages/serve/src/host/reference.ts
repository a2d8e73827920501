import { ConfigError, type EnvironmentFactory } from "@envs/core";

import { messageOf } from "./border.ts";
import type { HostedEnvironment } from "./inline-host.ts";

/** An environment by the module that makes it, so that other threads can make it, too. All of it is JSON. */
export interface EnvironmentReference {
  /** What `import()` takes: a URL, or a package that lies beside this one. Its default export is an environment's factory. */
  readonly module: string;
  /** What the factory is called with. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  readonly version?: string | undefined;
  readonly readme?: string | undefined;
}

/** Makes the environment of a reference. Throws a `ConfigError` if there is none, or its config is refused. */
export async function loadReference({
  module,
  config,
  version,
  readme,
}: EnvironmentReference): Promise<HostedEnvironment> {
  let factory: unknown;
  try {
    ({ default: factory } = (await import(module)) as { readonly default?: unknown });
  } catch (error) {
    throw new ConfigError(`${module} could not be loaded: ${messageOf(error)}`, [], {
      cause: error,
    });
  }
  if (!isFactory(factory))
    throw new ConfigError(
      `${module} holds no environment: its default export must be what defineEnvironment() returns.`,
    );
  return { environment: factory(config), version, readme };
}

function isFactory(value: unknown): value is EnvironmentFactory {
  return typeof value === "function" && "definition" in value;
}
