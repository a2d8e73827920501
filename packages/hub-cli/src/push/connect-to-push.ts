import { FailureError } from "@envs/cli/kit";
import type { ConnectToPush } from "@envs/cli/kit/runs";

import { connectForRuns } from "../runs/run-connection.ts";
import { declareRun } from "./declare-run.ts";
import { readEvaluation } from "./evaluation-upload.ts";
import { formatPushedRun, pushRun } from "./push-run.ts";

/** Connects to the hub that will receive a run. Throws before the evaluation if the hub would reject it. */
export const connectToPush: ConnectToPush = async (
  { packageName, version, contentHash, reference },
  registry,
) => {
  if (packageName === undefined || version === undefined)
    throw new FailureError(
      `${reference} is not a version of a package, so a hub cannot check its runs. Publish it first (envs publish), or evaluate without --push.`,
    );
  const connection = await connectForRuns(
    { name: packageName, version, contentHash },
    { command: "envs eval", registry },
  );
  return {
    declare: (run) => declareRun(connection, run),
    async push(path, isQuiet) {
      const pushed = await pushRun(connection, await readEvaluation(path), isQuiet);
      return { json: pushed, text: formatPushedRun(pushed) };
    },
  };
};
