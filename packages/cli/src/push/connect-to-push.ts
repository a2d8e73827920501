import { connectForRuns, type RunConnection } from "@envs/hub-cli/runs";
import { FailureError } from "@envs/terminal";

import type { LoadedEnvironment } from "../environments/loaded-environment.ts";

/** Connects to the hub that will receive a run. Throws before the evaluation if the hub would reject it. */
export async function connectToPush(
  { packageName, version, contentHash, reference }: LoadedEnvironment,
  registry: string | undefined,
): Promise<RunConnection> {
  if (packageName === undefined || version === undefined)
    throw new FailureError(
      `${reference} is not a version of a package, so a hub cannot check its runs. Publish it first (envs publish), or evaluate without --push.`,
    );
  return await connectForRuns(
    { name: packageName, version, contentHash },
    { command: "envs eval", registry },
  );
}
