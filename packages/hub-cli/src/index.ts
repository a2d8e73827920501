import { lazyCommand, type LazyCommand } from "@envs/terminal";

import type { CheckManifest, ComparePublished } from "./publish/publish-checks.ts";

export type { ComparePublished, ManifestCheck } from "./publish/publish-checks.ts";

/** What the hub commands need from the command line that mounts them. */
export interface HubCommandOptions {
  /** Compares the manifest in a package's folder with the environment that the package exports. */
  readonly checkManifest: CheckManifest;
  /** Warns of a version that is raised too little. */
  readonly comparePublished: ComparePublished;
  /** Pushes saved runs, which only the command line can read. */
  readonly push: LazyCommand;
}

/** Returns the hub commands by name, in the order of the help. */
export function hubCommands({
  checkManifest,
  comparePublished,
  push,
}: HubCommandOptions): Readonly<Record<string, LazyCommand>> {
  return {
    search: lazyCommand("Find environments", () => import("./commands/search.ts")),
    install: lazyCommand(
      "Add environments to this project with its package manager",
      () => import("./commands/install.ts"),
    ),
    publish: lazyCommand("Publish the package in a folder", async () => {
      const { publishCommand } = await import("./commands/publish.ts");
      return { command: publishCommand({ checkManifest, comparePublished }) };
    }),
    "run push": push,
    "hub yank": lazyCommand("Hide a version from new installs", () => import("./commands/yank.ts")),
    "hub archive": lazyCommand("Make a package read-only", () => import("./commands/archive.ts")),
    "hub advisory": lazyCommand(
      "Warn users of some versions of a package",
      () => import("./commands/advisory.ts"),
    ),
    "hub login": lazyCommand("Log in", () => import("./commands/login.ts")),
    "hub logout": lazyCommand("Log out", () => import("./commands/logout.ts")),
    "hub whoami": lazyCommand("Show the logged-in user", () => import("./commands/whoami.ts")),
    "hub star": lazyCommand("Star a package", () => import("./commands/star.ts")),
    "hub token": lazyCommand("List, create and revoke tokens", () => import("./commands/token.ts")),
    "hub org": lazyCommand(
      "Manage organisations and their members",
      () => import("./commands/org.ts"),
    ),
    "hub doctor": lazyCommand(
      "Check the configuration of each package manager for the hub",
      () => import("./commands/doctor.ts"),
    ),
    "hub server": lazyCommand(
      "Run, back up and restore your own hub",
      () => import("./commands/server.ts"),
    ),
  };
}
