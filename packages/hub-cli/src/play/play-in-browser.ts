import { once } from "node:events";

import { onInterrupt, paint } from "@envs/cli/kit";
import type { BrowserPlay, PlayInBrowser } from "@envs/cli/kit/environments";
import { checkRequirements } from "@envs/core/engine";

import { playFiles } from "./play-files.ts";
import { servePlayFiles } from "./play-server.ts";

/** Serves the page of an environment until the command is interrupted. */
export const playInBrowser: PlayInBrowser = async (play) => {
  const files = await playFiles(play.loaded, play.environment);
  // Reports code that cannot run in a browser first, before missing requirements.
  await checkRequirements(play.environment);
  await using server = await servePlayFiles(files, play.port);
  const { signal, dispose } = onInterrupt(() => undefined);
  process.stdout.write(`Play ${play.environment.name} at ${addressOf(server.url, play)}\n`);
  process.stderr.write(paint("dim", "Press Ctrl-C to stop.\n", process.stderr));
  if (!signal.aborted) await once(signal, "abort");
  dispose();
  return 0;
};

/** Options of the command are parameters of the page, which starts with them. */
function addressOf(url: string, { config, example, seed, split }: BrowserPlay): string {
  const address = new URL(url);
  if (example > 0) address.searchParams.set("example", `${example}`);
  if (seed !== 0) address.searchParams.set("seed", `${seed}`);
  if (split !== undefined) address.searchParams.set("split", split);
  if (Object.keys(config).length > 0) address.searchParams.set("config", JSON.stringify(config));
  return address.href;
}
