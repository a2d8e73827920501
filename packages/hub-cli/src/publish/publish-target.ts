import { UsageError } from "@envs/terminal";

import { type Place, shown } from "../config/context.ts";
import { type HubAddress, whichHub } from "../connection/hub-address.ts";
import type { PackageManager } from "../managers/package-manager.ts";
import { linesFor } from "../managers/scope-registries.ts";
import type { PackageJson } from "../package-json.ts";
import { scopeOf } from "../packages/package-spec.ts";

/** What a package.json says of publishing. */
export interface PublishedJson extends PackageJson {
  readonly private?: boolean;
  readonly publishConfig?: { readonly registry?: unknown; readonly access?: unknown };
}

/** The hub that a package is published to: as the person says, else as its package.json, else as any command finds it. */
export async function publishTarget(
  place: Place,
  { name = "", publishConfig }: PublishedJson,
  registry: string | undefined,
): Promise<HubAddress> {
  const own = publishConfig?.registry;
  const isSaid = registry !== undefined || (place.variables["ENVS_HUB"] ?? "") !== "";
  // A package.json may come from a stranger; only what the person says makes their token theirs to send.
  if (typeof own === "string" && !isSaid)
    return {
      ...(await whichHub(place, { registry: own })),
      from: "publishConfig in package.json",
      isTheirs: false,
    };
  const address = await whichHub(place, { registry, scope: scopeOf(name) });
  if (typeof own === "string" && URL.parse(own)?.origin !== address.url)
    throw new UsageError(
      `The publishConfig in package.json says ${own}, and ${address.from} says ${address.url}. Package managers follow the first: change it, or leave the other out.`,
    );
  return address;
}

/** Refuses what the package manager would send elsewhere: it follows the line of a scope before anything else. */
export async function refuseOtherLine(
  place: Place,
  { name, manager, url }: { name: string; manager: PackageManager; url: string },
): Promise<void> {
  const scope = scopeOf(name);
  const line = (await linesFor(manager, place)).find((each) => each.scope === scope);
  if (line === undefined || URL.parse(line.registry)?.origin === url) return;
  throw new UsageError(
    `Packages of ${line.scope} go to ${line.registry} (${shown(line.file, place)}), and ${manager.title} would publish there, not to ${url}. Change that line, or say --registry ${line.registry}`,
  );
}
