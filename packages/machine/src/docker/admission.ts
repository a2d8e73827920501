import { statfs } from "node:fs/promises";

import { ConfigError } from "@envs/core";
import type Docker from "dockerode";

import type { MachineOptions } from "../machine.ts";

/** What a machine without a declared limit counts as. */
const assumedMemory = 512 * 2 ** 20;
/** The part of the engine's memory that machines may have declared together. */
const share = 0.9;
/** Below this, a build or an agent would fill the disk of all. */
const minFreeDisk = 2 * 2 ** 30;

/** How much memory machines of this process may have at once, and how much disk must be free. */
export class Admission {
  readonly #total: Promise<{ readonly memory: number; readonly folder: string }>;
  readonly #waiting: { readonly memory: number; readonly start: () => void }[] = [];
  #used = 0;

  constructor(docker: Docker) {
    this.#total = docker.info().then((info: { MemTotal?: number; DockerRootDir?: string }) => ({
      memory: (info.MemTotal ?? Infinity) * share,
      folder: info.DockerRootDir ?? "",
    }));
    this.#total.catch(() => {});
  }

  /** Waits until a machine may start. Returns the function to call at its end. Machines start in the order of their requests. */
  async enter(options: MachineOptions): Promise<() => void> {
    const { memory: total, folder } = await this.#total;
    await checkDisk(folder);
    const memory = memoryOf(options);
    if (memory > total)
      throw new ConfigError(
        `The machine needs ${gigabytes(memory)} of memory, and the engine has ${gigabytes(total)} for machines.`,
      );
    const isFull = this.#waiting.length > 0 || this.#used + memory > total;
    if (isFull && options.isUrgent !== true) await this.#wait(memory, options.signal);
    else this.#used += memory;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#used -= memory;
      this.#startWaiting(total);
    };
  }

  async #wait(memory: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry = { memory, start: resolve };
    const abort = (): void => {
      const index = this.#waiting.indexOf(entry);
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      reject(signal?.reason);
    };
    this.#waiting.push(entry);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  #startWaiting(total: number): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (this.#used + next.memory > total) return;
      this.#waiting.shift();
      this.#used += next.memory;
      next.start();
    }
  }
}

function memoryOf({ resources, services = {} }: MachineOptions): number {
  return [{ resources }, ...Object.values(services)].reduce(
    (sum, container) => sum + (container.resources?.memory ?? assumedMemory),
    0,
  );
}

/** The folder of an engine of another computer is not here; nothing is known of its disk. */
async function checkDisk(folder: string): Promise<void> {
  const stats = await statfs(folder).catch(() => undefined);
  if (stats === undefined || stats.bavail * stats.bsize >= minFreeDisk) return;
  throw new Error(
    `${folder} has only ${gigabytes(stats.bavail * stats.bsize)} free, and no machine starts below ${gigabytes(minFreeDisk)}. Remove images that are not needed, and what ended processes left: envs machine doctor --clean`,
  );
}

function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
