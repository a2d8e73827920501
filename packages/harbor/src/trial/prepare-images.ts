import { join } from "node:path";

import type { MachineProvider } from "@envs/machine";

import type { HarborTask } from "../task/task.ts";
import { type MachineContext, machineOptions } from "./machine-options.ts";

/** Builds or pulls the images of a task that comes next. Its own start reports what fails here. */
export async function prepareImages(
  task: HarborTask | undefined,
  { provider, host, signal }: MachineContext & { readonly provider: MachineProvider },
): Promise<void> {
  if (task === undefined) return;
  try {
    const { environment } = task.config;
    const options = machineOptions(environment, join(task.folder, "environment"), { host, signal });
    const images = [options, ...Object.values(options.services ?? {})].map(({ image }) => image);
    for (const image of images)
      await provider.prepare(image, { timeoutMs: options.buildTimeoutMs, signal });
  } catch {
    // The trial of the task meets the same error.
  }
}
