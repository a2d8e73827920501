import { here } from "./config/context.ts";
import { scopeLines } from "./config/scope-registries.ts";
import { hubArguments, connect } from "./connection/connect.ts";
import { knowsHub, ownScope } from "./connection/hub-address.ts";
import { scopeOf } from "./packages/package-spec.ts";
import { type PublishedPackage, publishedPackage } from "./packages/published-package.ts";

export { checkScope } from "./packages/package-spec.ts";
export { warnings as packageWarnings } from "./render/warnings.ts";
export { hubArguments };
export type { PublishedPackage } from "./packages/published-package.ts";

/** Whether an option, a variable or a configuration file names a hub. */
export async function isHubConfigured(registry: string | undefined): Promise<boolean> {
  return await knowsHub(here(), registry);
}

/** Whether `ENVS_HUB` is set, but no configuration file of the project maps `@envs` to a registry. */
export async function lacksOwnScope(folder: string): Promise<boolean> {
  const place = { ...here(), folder };
  if ((place.variables["ENVS_HUB"] ?? "") === "") return false;
  return !(await scopeLines(place)).some(({ scope }) => scope === ownScope);
}

/** Reads a package, such as `@envs/tictactoe` or `tictactoe@0.2.0`, from the hub. */
export async function readFromHub(
  reference: string,
  registry: string | undefined,
): Promise<{ readonly hub: string; readonly found: PublishedPackage }> {
  const connection = await connect({ command: "envs info", registry, scope: scopeOf(reference) });
  return { hub: connection.url, found: await publishedPackage(connection, reference) };
}
