import { processContext } from "./config/context.ts";
import { connect } from "./connection/connect.ts";
import { isHubConfigured as isConfigured, resolveHub } from "./connection/resolve-hub.ts";
import { scopeOf } from "./packages/package-spec.ts";
import { type PublishedPackage, readPublishedPackage } from "./packages/published-package.ts";

export { hubArguments } from "./connection/connect.ts";
export type { PublishedPackage } from "./packages/published-package.ts";
export { formatPackageFacts, formatWarnings } from "./render/package-facts.ts";

/** Whether an option, a variable or a configuration file names a hub. */
export async function isHubConfigured(registry: string | undefined): Promise<boolean> {
  return await isConfigured(processContext(), registry);
}

/** The address of the configured hub; `undefined` if no hub is configured, or several may be. */
export async function configuredHub(): Promise<string | undefined> {
  const context = processContext();
  if (!(await isConfigured(context, undefined))) return undefined;
  try {
    return (await resolveHub(context)).url;
  } catch {
    return undefined;
  }
}

/** Reads a package, such as `@envs/tictactoe` or `tictactoe@0.2.0`, from the hub. */
export async function readFromHub(
  spec: string,
  registry: string | undefined,
): Promise<{ readonly hub: string; readonly published: PublishedPackage }> {
  const connection = await connect({ command: "envs info", registry, scope: scopeOf(spec) });
  return { hub: connection.url, published: await readPublishedPackage(connection, spec) };
}
