import {
  environmentFiles,
  type EnvironmentFiles,
  installVersions,
  loadEnvironment,
  type LoadedEnvironment,
} from "@envs/cli/kit/environments";

import type { SharedEnvironment } from "./queued-plan.ts";

/** An environment that a worker has loaded, and its files at that time. */
export interface WorkerEnvironment {
  readonly loaded: LoadedEnvironment;
  readonly files: EnvironmentFiles;
}

/**
 * The environments of a worker, each loaded once: Node does not import a changed module again, so the first loaded files play.
 * Each step of a training is a run, so loading has to be fast, too.
 */
export class WorkerEnvironments {
  readonly #loaded = new Map<string, Promise<WorkerEnvironment>>();

  load({ reference, versions }: SharedEnvironment): Promise<WorkerEnvironment> {
    const key = JSON.stringify([reference, versions]);
    const environment = this.#loaded.get(key) ?? loadFiles(reference, versions);
    this.#loaded.set(key, environment);
    // Retries a missing environment, because it may be installed later.
    environment.catch(() => this.#loaded.delete(key));
    return environment;
  }
}

async function loadFiles(
  reference: string,
  versions: SharedEnvironment["versions"],
): Promise<WorkerEnvironment> {
  const loaded = await loadEnvironment(await installVersions(reference, versions));
  return { loaded, files: await environmentFiles(loaded) };
}
