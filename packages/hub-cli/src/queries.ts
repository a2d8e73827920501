import { processContext } from "./config/context.ts";
import { readScopeRegistries } from "./config/scope-registries.ts";
import { connect } from "./connection/connect.ts";
import { isHubConfigured as isConfigured, ownScope } from "./connection/resolve-hub.ts";
import { scopeOf } from "./packages/package-spec.ts";
import { type PublishedPackage, readPublishedPackage } from "./packages/published-package.ts";

export { hubArguments } from "./connection/connect.ts";
export { checkScope } from "./packages/package-spec.ts";
export type { PublishedPackage } from "./packages/published-package.ts";
export { formatPackageFacts, formatWarnings } from "./render/package-facts.ts";

/** Whether an option, a variable or a configuration file names a hub. */
export async function isHubConfigured(registry: string | undefined): Promise<boolean> {
  return await isConfigured(processContext(), registry);
}

/** Whether `ENVS_HUB` is set, but no configuration file of the project maps `@envs` to a registry. */
export async function lacksOwnScope(folder: string): Promise<boolean> {
  const context = { ...processContext(), folder };
  if ((context.variables["ENVS_HUB"] ?? "") === "") return false;
  return !(await readScopeRegistries(context)).some(({ scope }) => scope === ownScope);
}

/** Reads a package, such as `@envs/tictactoe` or `tictactoe@0.2.0`, from the hub. */
export async function readFromHub(
  spec: string,
  registry: string | undefined,
): Promise<{ readonly hub: string; readonly published: PublishedPackage }> {
  const connection = await connect({ command: "envs info", registry, scope: scopeOf(spec) });
  return { hub: connection.url, published: await readPublishedPackage(connection, spec) };
}
