import { ConfigError } from "@envs/core";

const reserved = new Set(
  `nemo web ws mcp health metadata schema reset step state openapi.json list_environments create
   create_session delete delete_session ping`.split(/\s+/u),
);

/** Throws a `ConfigError` unless environments of these names can be served beside each other. */
export function checkNames(names: readonly string[]): void {
  if (names.length === 0) throw new ConfigError("There is no environment to serve.");
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined)
    throw new ConfigError(`Two environments are named ${twice}. Serve them on two ports.`);
  const unfit = names.find((name) => reserved.has(name));
  if (unfit !== undefined)
    throw new ConfigError(
      `An environment named ${unfit} cannot be served: that is a route's name.`,
    );
}
