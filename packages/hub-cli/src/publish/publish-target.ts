import { UsageError } from "@envs/cli/kit";
import type { PackageJson } from "@envs/cli/kit/environments";

import { type CommandContext, displayPath } from "../config/context.ts";
import { isAtOrigin, scopeRegistriesOf } from "../config/scope-registries.ts";
import { type HubAddress, resolveHub } from "../connection/resolve-hub.ts";
import type { PackageManager } from "../managers/package-manager.ts";
import { scopeOf } from "../packages/find-package.ts";

/** Finds the hub to publish to: the user's choice, else `publishConfig`, else the hub of the package's scope. */
export async function resolvePublishTarget(
  context: CommandContext,
  { name = "", publishConfig }: PackageJson,
  registry: string | undefined,
): Promise<HubAddress> {
  const configured = publishConfig?.registry;
  const isChosen = registry !== undefined || (context.variables["ENVS_HUB"] ?? "") !== "";
  if (typeof configured === "string" && !isChosen)
    return {
      ...(await resolveHub(context, { registry: configured })),
      source: "publishConfig in package.json",
      isTrusted: false,
    };
  const address = await resolveHub(context, { registry, scope: scopeOf(name) });
  if (typeof configured === "string" && !isAtOrigin(configured, address.url))
    throw new UsageError(
      `publishConfig in package.json names ${configured}, but ${address.source} names ${address.url}. Package managers use publishConfig: change it, or omit the other.`,
    );
  return address;
}

/** Throws if the package's scope is mapped to another registry, which package managers would publish to. */
export async function checkPublishRegistry(
  context: CommandContext,
  { name, manager, url }: { name: string; manager: PackageManager; url: string },
): Promise<void> {
  const scope = scopeOf(name);
  const mapping = (await scopeRegistriesOf(manager, context)).find(
    (candidate) => candidate.scope === scope,
  );
  if (mapping === undefined || isAtOrigin(mapping.registry, url)) return;
  throw new UsageError(
    `${mapping.scope} is mapped to ${mapping.registry} (${displayPath(mapping.file, context)}), so ${manager.title} would publish there, not to ${url}. Change that line, or pass --registry ${mapping.registry}`,
  );
}
