import type { Environment } from "@envs/core";

import type { LoadedEnvironment } from "../environments/loaded-environment.ts";
import { importPackage } from "../packages/import-package.ts";

/** The environment that a person plays in a browser, with its options. */
export interface BrowserPlay {
  readonly loaded: LoadedEnvironment;
  readonly environment: Environment;
  /** The options that differ from their defaults. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly example: number;
  readonly seed: number;
  readonly split: string | undefined;
  readonly port: number;
}

/** Serves the page of an environment until the command is interrupted. Returns the exit code. */
export type PlayInBrowser = (play: BrowserPlay) => Promise<number>;

/** React and the bundler are in another package, which is loaded only for `--web`. */
export const playInBrowser: PlayInBrowser = async (play) => {
  const hub = await importPackage<{ readonly playInBrowser: PlayInBrowser }>(
    "hub-cli/commands",
    "--web",
  );
  return await hub.playInBrowser(play);
};
