import type { EnvironmentFactory } from "@envs/core";

import type { HubVersions } from "./hub-versions.ts";

/** A loaded environment and its package. */
export interface LoadedEnvironment {
  readonly factory: EnvironmentFactory;
  /** The package name, version on a hub, path or mix on the command line. */
  readonly reference: string;
  /** The versions on a hub that the reference names. */
  readonly versions: HubVersions;
  /** The module's URL. */
  readonly module: string;
  /** The package's folder; `undefined` for a loose file. */
  readonly root: string | undefined;
  readonly packageName: string | undefined;
  readonly version: string | undefined;
  readonly contentHash: string;
  /** Whether the package's sources are newer than its build. */
  readonly isStale: boolean;
  /** The environments of a mix on the command line, by name. */
  readonly parts?: Readonly<Record<string, LoadedEnvironment>> | undefined;
}
