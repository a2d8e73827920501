import { paint, success } from "@envs/cli/kit";

import type { RunConnection } from "../runs/run-connection.ts";
import { uploadRun } from "../runs/upload-run.ts";
import type { LocalRun } from "./run-parts.ts";

/** A run on a hub, as `--json` prints it. */
export interface PushedRun {
  readonly id: string;
  readonly url: string;
  readonly package: string;
  readonly version: string;
  readonly rollouts: number;
}

/** Pushes a run to a hub that has its package, and shows the progress on stderr. */
export async function pushRun(
  { connection, version }: RunConnection,
  { package: package_, upload, contentOf, rollouts }: LocalRun,
  isQuiet: boolean,
): Promise<PushedRun> {
  const { name } = package_;
  const { id, url } = await uploadRun(connection, {
    upload: {
      ...upload,
      package: name,
      version: version.version,
      integrity: version.integrity,
      contentHash: package_.contentHash,
    },
    contentOf,
    onProgress({ sent, parts }) {
      if (isQuiet) return;
      const line = `pushing ${rollouts} rollouts · ${sent} of ${parts} parts`;
      process.stderr.write(
        process.stderr.isTTY ? `\r\u001B[2K${paint("dim", line, process.stderr)}` : `${line}\n`,
      );
    },
  });
  if (!isQuiet && process.stderr.isTTY) process.stderr.write("\r\u001B[2K");
  return { id, url, package: name, version: version.version, rollouts };
}

/** Formats a pushed run, as `envs run push` prints it. */
export function formatPushedRun({ url, package: name, version, rollouts }: PushedRun): string {
  return `${success(`Pushed ${rollouts} rollouts of ${paint("bold", name)} ${version}`)}\n  ${url}`;
}
