import type { CommandContext } from "../config/context.ts";
import type { Release, ReleaseGate } from "./release-gate.ts";

/** The settings of a package manager that affect a scope's packages. */
export interface ManagerSettings {
  readonly version: string;
  /** The scope's registry; undefined if the scope is not mapped. */
  readonly registry: string | undefined;
  readonly gate: ReleaseGate | undefined;
  /** Whether it connects to a host by plain HTTP. */
  readonly allowsHttp: (host: string) => boolean;
  /** Whether it has a token for a registry; undefined if it does not report that. */
  readonly hasToken: (url: string) => boolean | undefined;
}

/** The functions of a package manager that the hub commands use. */
export interface PackageManager {
  /** The name in messages. */
  readonly title: "npm" | "pnpm" | "Yarn 1" | "Yarn 4" | "bun";
  readonly command: string;
  /** Whether it installs peer dependencies. */
  readonly installsPeers: boolean;
  /** Reads the settings for a scope; undefined if the package manager is not installed. */
  readonly settings: (
    context: CommandContext,
    scope: string,
  ) => Promise<ManagerSettings | undefined>;
  /** The arguments that add packages to a project. */
  readonly add: (specs: readonly string[], isDevelopment: boolean) => readonly string[];
  /** Maps a scope to a hub in the project's configuration. Returns the files that changed. */
  readonly mapScope: (root: string, mapping: ScopeMapping) => Promise<readonly string[]>;
  /** The setting that exempts releases from the gate. */
  readonly exemption: (root: string, releases: readonly Release[]) => GateExemption;
}

/** A scope and the hub that its packages come from. */
export interface ScopeMapping {
  /** With `@`. */
  readonly scope: string;
  readonly url: string;
}

/** A setting that exempts releases from a gate. */
export interface GateExemption {
  readonly file: string;
  /** The lines to add to the file, for messages. */
  readonly lines: readonly string[];
  /** Adds the lines; undefined if the user must edit the file. */
  readonly write?: () => Promise<void>;
}
