import { UsageError } from "@envs/terminal";

import { type Place, shown } from "../config/context.ts";
import { type ScopeLine, scopeLines } from "../config/scope-registries.ts";

/** The hub that a command is about. */
export interface HubAddress {
  /** An origin: hubs stand at the root of their host. */
  readonly url: string;
  /** What names it, for messages. */
  readonly from: string;
  /** Whether it was named by the person, and not only by a file of the project, which may come from a stranger. */
  readonly isTheirs: boolean;
}

/** What a command says of the hub that it wants. */
export interface WantedHub {
  /** What follows `--registry`. */
  readonly registry?: string | undefined;
  /** The scope of the packages that it is about, with `@`. */
  readonly scope?: string | undefined;
}

/** The scope of the environments that come with this command line. */
export const ownScope = "@envs";

/** Finds the hub: `--registry`, else `ENVS_HUB`, else the line of a scope in the configuration of npm or Yarn. */
export async function whichHub(
  place: Place,
  { registry, scope }: WantedHub = {},
): Promise<HubAddress> {
  if (registry !== undefined) return named(registry, "--registry");
  const variable = place.variables["ENVS_HUB"];
  if (variable !== undefined && variable !== "") return named(variable, "ENVS_HUB");
  const lines = (await scopeLines(place)).filter(canBeHub);
  const line =
    lines.find((each) => each.scope === scope) ??
    lines.find((each) => each.scope === ownScope) ??
    onlyOne(lines);
  if (line !== undefined) return ofLine(line, place);
  throw new UsageError(
    "Which hub? Say it with --registry <url>, set the variable ENVS_HUB, or write a line into .npmrc: @envs:registry=http://localhost:4873/",
  );
}

/** Whether anything names a hub. */
export async function knowsHub(place: Place, registry?: string): Promise<boolean> {
  if (registry !== undefined || (place.variables["ENVS_HUB"] ?? "") !== "") return true;
  return (await scopeLines(place)).some(canBeHub);
}

function onlyOne(lines: readonly ScopeLine[]): ScopeLine | undefined {
  const origins = new Map(lines.map((line) => [new URL(line.registry).origin, line]));
  if (origins.size < 2) return lines[0];
  const list = Array.from(origins, ([origin, { scope }]) => `  ${origin} (${scope})`);
  throw new UsageError(
    `Your configuration names several registries, and any of them may be the hub:\n${list.join("\n")}\nSay which with --registry <url>, or set the variable ENVS_HUB.`,
  );
}

function ofLine({ registry, scope, file, owner }: ScopeLine, place: Place): HubAddress {
  return {
    url: new URL(registry).origin,
    from: `${scope}:registry in ${shown(file, place)}`,
    isTheirs: owner === "user",
  };
}

/** Other registries may stand below a path. */
function canBeHub({ registry }: ScopeLine): boolean {
  const url = URL.parse(registry);
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/";
}

function named(address: string, from: string): HubAddress {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `${from} is ${JSON.stringify(address)}, which is not an address. Write it like http://localhost:4873.`,
    );
  if (url.pathname !== "/" || url.search !== "")
    throw new UsageError(
      `${from} is ${address}, but a hub stands at the root of its host: ${url.origin}`,
    );
  return { url: url.origin, from, isTheirs: true };
}
