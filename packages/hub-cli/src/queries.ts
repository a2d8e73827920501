import type { DescribePublished, FindVersion } from "@envs/cli/kit/environments";

import { processContext } from "./config/context.ts";
import { connect } from "./connection/connect.ts";
import { isHubConfigured as isConfigured, resolveHub } from "./connection/resolve-hub.ts";
import { scopeOf } from "./packages/find-package.ts";
import { publishedPackageText } from "./packages/published-package-text.ts";
import { type PublishedPackage, readPublishedPackage } from "./packages/published-package.ts";

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

/** Describes a package on the configured hub, for `envs info`; returns `undefined` if no hub is configured. */
export const describePublished: DescribePublished = async (reference, { registry, json }) => {
  if (!(await isConfigured(processContext(), registry))) return undefined;
  const { hub, published } = await readFromHub(reference, registry);
  const { install: _, ...facts } = published;
  return json
    ? JSON.stringify({ hub, ...facts })
    : publishedPackageText(published, process.stdout.columns);
};

/** Finds the version that a reference such as `@envs/tictactoe@1.2.3` names, on the configured hub. */
export const findVersion: FindVersion = async (reference) => {
  const { hub, published } = await readFromHub(reference, undefined);
  const { version, integrity } = published.version;
  return { name: published.package.name, version, integrity, registry: hub };
};

async function readFromHub(
  spec: string,
  registry: string | undefined,
): Promise<{ readonly hub: string; readonly published: PublishedPackage }> {
  const connection = await connect({ command: "envs info", registry, scope: scopeOf(spec) });
  return { hub: connection.url, published: await readPublishedPackage(connection, spec) };
}
