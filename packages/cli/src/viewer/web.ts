import { once } from "node:events";

import { findRuns } from "@envs/records/node";
import { type RunReader, startViewerServer, UnknownRunError, Workspace } from "@envs/viewer/node";

import { UsageError } from "../terminal/errors.ts";
import { paint } from "../terminal/text.ts";
import { tinyVocabulary } from "./vocabulary.ts";

export interface WebOptions {
  /** The run to open first. Default: the newest run in `outputs`. */
  readonly run: string | undefined;
  readonly outputs: string;
  readonly port: number | undefined;
}

/** Serves the viewer for browsers on this machine until the process is interrupted. */
export async function viewInBrowser({ run, outputs, port }: WebOptions): Promise<void> {
  const workspace = new Workspace(outputs);
  const path = run ?? (await findRuns(outputs))[0];
  const opened = path === undefined ? undefined : openReader(workspace, path);
  const server = await startViewerServer({ workspace, port, vocabularyOf: tinyVocabulary });
  const address = opened === undefined ? server.url : `${server.url}#run=${opened.id}`;
  process.stdout.write(
    `${address}\n${paint("dim", "Open the address in a browser of this machine. Ctrl-C stops the viewer.")}\n`,
  );
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await server.close();
}

/** Opens a run by its path. Throws a `UsageError` if the path is not a run. */
export function openReader(workspace: Workspace, path: string): RunReader {
  try {
    return workspace.open(path);
  } catch (error) {
    if (error instanceof UnknownRunError) throw new UsageError(error.message);
    throw error;
  }
}
