import { clean, FailureError, shellCommand, UsageError } from "@envs/cli/kit";

import { type CommandContext, displayPath, projectRoot } from "../config/context.ts";
import { isAtOrigin, scopeRegistriesOf, type ScopeRegistry } from "../config/scope-registries.ts";
import type { Connection } from "../connection/connect.ts";
import type { PackageManager, ReleaseGate } from "../managers/package-manager.ts";
import {
  formatPackageSpec,
  type PackageSpec,
  resolvePackageName,
  scopeOf,
} from "../packages/find-package.ts";
import {
  type PackageVersion,
  readVersionWarnings,
  warningLines,
} from "../packages/version-warnings.ts";
import { applyGate } from "./apply-gate.ts";
import {
  findRequiredPackages,
  missingPeerDependencies,
  type UnmappedPackage,
} from "./required-packages.ts";

/** The packages to install, and how. */
export interface InstallationRequest {
  readonly specs: readonly PackageSpec[];
  readonly manager: PackageManager;
  /** Further scopes to map to the hub, with `@`. */
  readonly scopes: readonly string[];
  /** Whether to exempt releases that are too new for the package manager's gate. */
  readonly allowsNew: boolean;
  readonly context: CommandContext;
}

/** The steps of an installation, before anything is written. */
export interface InstallationPlan {
  /** The specs to pass to the package manager. */
  readonly specs: readonly string[];
  readonly packages: readonly PackageVersion[];
  /** Warnings to show before the installation. */
  readonly notes: readonly string[];
  /** The peer dependencies that the user must add, because the package manager does not. */
  readonly peers: readonly string[];
  /** Writes the project's configuration. Returns the files that changed. */
  readonly configure: () => Promise<readonly string[]>;
}

/** Plans an installation. Throws an error with advice if the package manager would fail. */
export async function planInstallation(
  connection: Connection,
  { specs: requested, manager, scopes: furtherScopes, allowsNew, context }: InstallationRequest,
): Promise<InstallationPlan> {
  const { url } = connection;
  const specs: PackageSpec[] = [];
  for (const { name, range } of requested)
    specs.push({ name: await resolvePackageName(connection, name), range });
  const scopes = [
    ...new Set([...specs.map(({ name }) => requireScope(name, url)), ...furtherScopes]),
  ];
  const root = await projectRoot(context.folder);
  const registries = await scopeRegistriesOf(manager, context);
  for (const scope of scopes) checkScopeRegistry(scope, registries, url, context);
  const { packages: required, unmappedScopes } = await findRequiredPackages(
    connection,
    specs,
    (scope) =>
      scopes.includes(scope)
        ? url
        : registries.find((candidate) => candidate.scope === scope)?.registry,
  );
  checkUnmappedScopes(unmappedScopes, requested, url);
  const gate = await readGate(manager, context, scopes[0] ?? "");
  const { note, exemptions, fallbacks } = applyGate(
    required,
    gate && { manager, gate, root, context, now: new Date() },
    allowsNew,
  );
  const packages = required
    .filter(({ requiredBy }) => requiredBy === undefined)
    .map(({ release: { name, version } }) => ({ name, version: fallbacks.get(name) ?? version }));
  const warnings = warningLines(await readVersionWarnings(connection, packages));
  return {
    specs: specs.map(formatPackageSpec),
    packages,
    notes: [...warnings, ...(note === undefined ? [] : [note])],
    peers: manager.installsPeers ? [] : await missingPeerDependencies(required, context.folder),
    async configure() {
      const written: string[] = [];
      for (const scope of scopes) written.push(...(await manager.mapScope(root, { scope, url })));
      if (exemptions.length === 0) return [...new Set(written)];
      const { file, write } = manager.exemption(root, exemptions);
      await write?.();
      return [...new Set([...written, file])];
    },
  };
}

async function readGate(
  { title, settings }: PackageManager,
  context: CommandContext,
  scope: string,
): Promise<ReleaseGate | undefined> {
  const managerSettings = await settings(context, scope);
  if (managerSettings !== undefined) return managerSettings.gate;
  throw new FailureError(
    `This project uses ${title}, which is not installed. Install it, or choose another package manager with --client.`,
  );
}

function requireScope(name: string, url: string): string {
  const scope = scopeOf(name);
  if (scope !== undefined) return scope;
  throw new UsageError(
    `${clean(name)} has no scope, so a project cannot map it to ${url}. Install it once with: npm install ${clean(name)} --registry ${url}`,
  );
}

/** Throws if the project maps the scope to another registry: changing that would affect all packages of the scope. */
function checkScopeRegistry(
  scope: string,
  registries: readonly ScopeRegistry[],
  url: string,
  context: CommandContext,
): void {
  const conflict = registries.find(
    (candidate) => candidate.scope === scope && candidate.owner === "project",
  );
  if (conflict === undefined || isAtOrigin(conflict.registry, url)) return;
  const { registry, file } = conflict;
  throw new UsageError(
    `This project maps ${scope} to ${registry} (${displayPath(file, context)}), not to ${url}. To move the whole scope, change that line; otherwise pass --registry ${registry}`,
  );
}

/** Throws if dependencies have a scope without a registry: the user decides whether to map it to the hub. */
function checkUnmappedScopes(
  unmappedScopes: ReadonlyMap<string, UnmappedPackage>,
  requested: readonly PackageSpec[],
  url: string,
): void {
  if (unmappedScopes.size === 0) return;
  const reasons = Array.from(
    unmappedScopes.values(),
    ({ name, requiredBy }) => `  ${clean(requiredBy)} requires ${clean(name)}`,
  );
  const scopes = [...unmappedScopes.keys()].map(clean).join(",");
  throw new UsageError(
    `No registry is configured for ${scopes}; ${url} provides the required packages:\n${reasons.join("\n")}\nTo install them from there: envs install ${shellCommand(requested.map(formatPackageSpec))} --scope ${scopes}`,
  );
}
