import type { Place } from "../config/context.ts";
import type { Release, ReleaseGate } from "./release-gate.ts";

/** Where a package manager gets the packages of a scope, and which it takes. */
export interface ManagerSettings {
  readonly version: string;
  /** Undefined: from where it gets every other package. */
  readonly registry: string | undefined;
  readonly gate: ReleaseGate | undefined;
  /** Whether it speaks plain HTTP with a host. */
  readonly allowsHttp: (host: string) => boolean;
  /** Whether it has a token for an address; undefined if that cannot be found out. */
  readonly hasToken: (url: string) => boolean | undefined;
}

/** A package manager, as far as hubs are concerned. */
export interface PackageManager {
  /** What people call it. */
  readonly title: "npm" | "pnpm" | "Yarn 1" | "Yarn 4" | "bun";
  readonly command: string;
  /** Whether it installs what a package wants its project to have. */
  readonly installsPeers: boolean;
  /** Undefined if it does not run here. */
  readonly settings: (place: Place, scope: string) => Promise<ManagerSettings | undefined>;
  /** The arguments that add packages to a project. */
  readonly add: (specs: readonly string[], isDevelopment: boolean) => readonly string[];
  /** Has the packages of a scope come from a hub, in a project. Resolves to the files that were written. */
  readonly useHub: (root: string, line: HubLine) => Promise<readonly string[]>;
  /** The lines that make its gate take some releases, and what writes them; undefined where only people may. */
  readonly exception: (root: string, releases: readonly Release[]) => GateException;
}

/** What a project's configuration is to say. */
export interface HubLine {
  /** With `@`. */
  readonly scope: string;
  readonly url: string;
}

/** A setting that makes a gate take some releases. */
export interface GateException {
  readonly file: string;
  /** As somebody would type it. */
  readonly lines: readonly string[];
  /** Writes it; left out where the file is one that is not written. */
  readonly write?: () => Promise<void>;
}
