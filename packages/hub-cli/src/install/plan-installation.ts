import { clean, FailureError, UsageError } from "@envs/terminal";

import { type Place, projectRoot } from "../config/context.ts";
import type { Connection } from "../connection/connect.ts";
import type { PackageManager } from "../managers/package-manager.ts";
import type { Release } from "../managers/release-gate.ts";
import { linesFor, refuseOtherRegistry } from "../managers/scope-registries.ts";
import { fullName } from "../packages/full-name.ts";
import { type PackageSpec, scopeOf } from "../packages/package-spec.ts";
import { knownAgainst, knownInWords } from "../packages/version-warnings.ts";
import { type GateOf, heldReleases, whatInstead, whyHeld } from "./blocked-releases.ts";
import { missingPeers } from "./missing-peers.ts";
import { type NeededPackage, type NeededPackages, neededPackages } from "./required-packages.ts";

/** What is to be installed, and how. */
export interface WantedInstallation {
  readonly specs: readonly PackageSpec[];
  readonly manager: PackageManager;
  /** Further scopes that are to come from the hub, with `@`. */
  readonly scopes: readonly string[];
  /** Whether a gate is told to take what is new. */
  readonly allowsNew: boolean;
  readonly place: Place;
}

/** What is going to be done. Nothing has been written yet. */
export interface Installation {
  /** As the package manager takes them. */
  readonly specs: readonly string[];
  readonly packages: readonly { readonly name: string; readonly version: string }[];
  /** What the person should know beforehand. */
  readonly notes: readonly string[];
  /** What the person has to add besides, where the package manager leaves that to them. */
  readonly peers: readonly string[];
  /** Writes the configuration that it needs. Resolves to the files that were written. */
  readonly configure: () => Promise<readonly string[]>;
}

/** Finds out what an installation needs, and whether the package manager will take it. Throws what to do if it will not. */
export async function planInstallation(
  connection: Connection,
  { specs: asked, manager, scopes: further, allowsNew, place }: WantedInstallation,
): Promise<Installation> {
  const { url } = connection;
  const specs: PackageSpec[] = [];
  for (const { name, wanted } of asked)
    specs.push({ name: await fullName(connection, name), wanted });
  const scopes = [...new Set([...specs.map(({ name }) => requireScope(name, url)), ...further])];
  const root = await projectRoot(place.folder);
  const lines = await linesFor(manager, place);
  for (const scope of scopes) refuseOtherRegistry(scope, { lines, url, place });
  const needed = await neededPackages(connection, specs, (scope) =>
    scopes.includes(scope) ? url : lines.find((line) => line.scope === scope)?.registry,
  );
  refuseUnknownScopes(needed, asked, url);
  const gate = await gateOf(manager, place, scopes[0] ?? "");
  const { note, excepted, instead } =
    gate === undefined
      ? nothingHeld
      : judge(needed.packages, { manager, gate, root, place, now: new Date() }, allowsNew);
  const packages = needed.packages
    .filter(({ neededBy }) => neededBy === undefined)
    .map(({ release: { name, version } }) => ({ name, version: instead.get(name) ?? version }));
  const known = knownInWords(await knownAgainst(connection, packages));
  return {
    specs: specs.map(({ name, wanted }) => (wanted === undefined ? name : `${name}@${wanted}`)),
    packages,
    notes: [...known, ...(note === undefined ? [] : [note])],
    peers: manager.installsPeers ? [] : await missingPeers(needed.packages, place.folder),
    async configure() {
      const written: string[] = [];
      for (const scope of scopes) written.push(...(await manager.useHub(root, { scope, url })));
      if (excepted.length === 0) return [...new Set(written)];
      const { file, write } = manager.exception(root, excepted);
      await write?.();
      return [...new Set([...written, file])];
    },
  };
}

interface Judgement {
  readonly note: string | undefined;
  /** What the gate is to be told to take. */
  readonly excepted: readonly Release[];
  /** Older versions that are taken in place of the newest. */
  readonly instead: ReadonlyMap<string, string>;
}

const nothingHeld: Judgement = { note: undefined, excepted: [], instead: new Map() };

function judge(packages: readonly NeededPackage[], of: GateOf, allowsNew: boolean): Judgement {
  const held = heldReleases(of.gate, packages, of.now);
  const releases = held.map(({ needed }) => needed.release);
  if (held.length === 0) return nothingHeld;
  const canExcept = of.manager.exception(of.root, releases).write !== undefined;
  if (allowsNew && canExcept) return { ...nothingHeld, excepted: releases };
  const stuck = held.filter(({ instead }) => instead === undefined);
  if (stuck.length > 0) throw new FailureError(whyHeld(stuck, of));
  const instead = new Map(held.map(({ needed, instead = "" }) => [needed.release.name, instead]));
  return { note: whatInstead(held, of), excepted: [], instead };
}

async function gateOf({ title, settings }: PackageManager, place: Place, scope: string) {
  const found = await settings(place, scope);
  if (found !== undefined) return found.gate;
  throw new FailureError(
    `This project is one of ${title}, which does not run here. Install it, or choose another with --client.`,
  );
}

function requireScope(name: string, url: string): string {
  const scope = scopeOf(name);
  if (scope !== undefined) return scope;
  throw new UsageError(
    `${clean(name)} has no scope, so a project cannot say that it comes from ${url}. Install it for once with: npm install ${clean(name)} --registry ${url}`,
  );
}

/** A scope whose packages come from elsewhere tomorrow is a large thing: the person says so. */
function refuseUnknownScopes(
  { unknownScopes }: NeededPackages,
  asked: readonly PackageSpec[],
  url: string,
): void {
  if (unknownScopes.size === 0) return;
  const reasons = Array.from(
    unknownScopes.values(),
    ({ name, neededBy }) => `  ${clean(neededBy)} needs ${clean(name)}`,
  );
  const words = asked.map(({ name, wanted }) =>
    wanted === undefined ? name : `${name}@${wanted}`,
  );
  const scopes = [...unknownScopes.keys()].map(clean).join(",");
  throw new UsageError(
    `Nothing says where packages of ${scopes} come from, and ${url} has what is needed of them:\n${reasons.join("\n")}\nIf they are to come from there: envs install ${words.join(" ")} --scope ${scopes}`,
  );
}
