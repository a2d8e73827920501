import { ownScope, UsageError } from "@envs/cli/kit";

import { type CommandContext, displayPath } from "../config/context.ts";
import { readScopeRegistries, type ScopeRegistry } from "../config/scope-registries.ts";

/** The hub that a command uses. */
export interface HubAddress {
  /** An origin: a hub is at the root of its host. */
  readonly url: string;
  /** The option, variable or configuration line that names it, for messages. */
  readonly source: string;
  /** False if only a project's file names it: its author may be untrusted, so it gets no token from a variable. */
  readonly isTrusted: boolean;
}

/** The options of a command that select its hub. */
export interface HubSelector {
  /** The value of `--registry`. */
  readonly registry?: string | undefined;
  /** The scope of the command's packages, with `@`. */
  readonly scope?: string | undefined;
}

/** The hub that `envs-hub start` runs, and that messages name if no other is known. */
const localHub = "http://localhost:4873";

/** Finds the hub: `--registry`, else `ENVS_HUB`, else a scope's registry in the configuration of a package manager. */
export async function resolveHub(
  context: CommandContext,
  { registry, scope }: HubSelector = {},
): Promise<HubAddress> {
  if (registry !== undefined) return parseAddress(registry, "--registry");
  const variable = context.variables["ENVS_HUB"];
  if (variable !== undefined && variable !== "") return parseAddress(variable, "ENVS_HUB");
  const candidates = (await readScopeRegistries(context)).filter(isHubAddress);
  const selected =
    candidates.find((candidate) => candidate.scope === scope) ??
    candidates.find((candidate) => candidate.scope === ownScope) ??
    singleHub(candidates);
  if (selected !== undefined) return addressOf(selected, context);
  throw new UsageError(
    `No hub is configured. Pass --registry <url>, set ENVS_HUB, or add a line to .npmrc: ${ownScope}:registry=${localHub}/`,
  );
}

/** Whether an option, a variable or a configuration file names a hub. */
export async function isHubConfigured(
  context: CommandContext,
  registry?: string,
): Promise<boolean> {
  if (registry !== undefined || (context.variables["ENVS_HUB"] ?? "") !== "") return true;
  return (await readScopeRegistries(context)).some(isHubAddress);
}

function singleHub(candidates: readonly ScopeRegistry[]): ScopeRegistry | undefined {
  const origins = new Map(
    candidates.map((candidate) => [new URL(candidate.registry).origin, candidate]),
  );
  if (origins.size < 2) return candidates[0];
  const list = Array.from(origins, ([origin, { scope }]) => `  ${origin} (${scope})`);
  throw new UsageError(
    `Several registries are configured, and each may be the hub:\n${list.join("\n")}\nSelect one with --registry <url> or ENVS_HUB.`,
  );
}

function addressOf({ registry, scope, file, owner }: ScopeRegistry, context: CommandContext) {
  return {
    url: new URL(registry).origin,
    source: `${scope}:registry in ${displayPath(file, context)}`,
    isTrusted: owner === "user",
  };
}

/** A registry below a path cannot be a hub. */
function isHubAddress({ registry }: ScopeRegistry): boolean {
  const url = URL.parse(registry);
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/";
}

function parseAddress(address: string, source: string): HubAddress {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `${source} is ${JSON.stringify(address)}, which is not a URL. Write it like ${localHub}`,
    );
  if (url.pathname !== "/" || url.search !== "")
    throw new UsageError(
      `${source} is ${address}, but a hub is always at the root of its host. Use ${url.origin}`,
    );
  return { url: url.origin, source, isTrusted: true };
}
