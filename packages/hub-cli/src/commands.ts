import type { DescribePublished, FindVersion, PlayInBrowser } from "@envs/cli/kit/environments";
import type { ConnectToPush } from "@envs/cli/kit/runs";

export { errorReference as errors } from "@envs/hub-client/error-reference";

/** The commands that this package adds to the command line. */
export const commands = {
  search: () => import("./commands/search.ts"),
  install: () => import("./commands/install.ts"),
  build: () => import("./commands/build.ts"),
  publish: () => import("./commands/publish.ts"),
  "run push": () => import("./commands/push.ts"),
  "run reproduce": () => import("./commands/reproduce.ts"),
  "suite init": () => import("./commands/suite/init.ts"),
  "suite run": () => import("./commands/suite/run.ts"),
  "suite publish": () => import("./commands/suite/publish.ts"),
  "hub yank": () => import("./commands/yank.ts"),
  "hub archive": () => import("./commands/archive.ts"),
  "hub advisory": () => import("./commands/advisory.ts"),
  "hub login": () => import("./commands/login.ts"),
  "hub logout": () => import("./commands/logout.ts"),
  "hub whoami": () => import("./commands/whoami.ts"),
  "hub star": () => import("./commands/star.ts"),
  "hub token": () => import("./commands/token.ts"),
  "hub org": () => import("./commands/org.ts"),
  "hub doctor": () => import("./commands/doctor.ts"),
  "hub server": () => import("./commands/server.ts"),
};

/** The address of the configured hub; `undefined` if no hub is configured, or several may be. */
export async function configuredHub(): Promise<string | undefined> {
  return await (await import("./queries.ts")).configuredHub();
}

/** Describes a package on the configured hub, for `envs info`; returns `undefined` if no hub is configured. */
export const describePublished: DescribePublished = async (reference, options) =>
  await (await import("./queries.ts")).describePublished(reference, options);

/** Finds a version of an environment on the configured hub. */
export const findVersion: FindVersion = async (reference) =>
  await (await import("./queries.ts")).findVersion(reference);

/** Connects to the hub that will receive a run of `envs eval --push`. */
export const connectToPush: ConnectToPush = async (environment, registry) =>
  await (await import("./push/connect-to-push.ts")).connectToPush(environment, registry);

/** Serves the page on which a person plays an environment, for `envs play --web`. */
export const playInBrowser: PlayInBrowser = async (play) =>
  await (await import("./play/play-in-browser.ts")).playInBrowser(play);
