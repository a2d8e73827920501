import { UsageError } from "@envs/terminal";

import { type Place, shown } from "../config/context.ts";
import { type ScopeLine, scopeLines } from "../config/scope-registries.ts";
import type { PackageManager } from "./package-manager.ts";

/** The lines that a package manager reads, the first of a scope counting. Yarn 4 reads its own file alone, bun its own before npm's. */
export async function linesFor(
  { title }: Pick<PackageManager, "title">,
  place: Place,
): Promise<readonly ScopeLine[]> {
  const lines = await scopeLines(place);
  const of = (reader: ScopeLine["readBy"]): ScopeLine[] =>
    lines.filter(({ readBy }) => readBy === reader);
  if (title === "Yarn 4") return of("Yarn 4");
  return title === "bun" ? [...of("bun"), ...of("npm")] : of("npm");
}

/** Refuses to have a scope come from a hub in a project that says otherwise: every other package of the scope would move, too. */
export function refuseOtherRegistry(
  scope: string,
  {
    lines,
    url,
    place,
  }: { readonly lines: readonly ScopeLine[]; readonly url: string; readonly place: Place },
): void {
  const line = lines.find((each) => each.scope === scope && each.owner === "project");
  if (line === undefined || URL.parse(line.registry)?.origin === url) return;
  throw new UsageError(
    `Packages of ${scope} come from ${line.registry} in this project (${shown(line.file, place)}), not from ${url}. If the whole scope is to move, change that line; else say --registry ${line.registry}`,
  );
}
