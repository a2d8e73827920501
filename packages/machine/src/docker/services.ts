import { setTimeout as sleep } from "node:timers/promises";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import type Docker from "dockerode";

import { waitUntilHealthy } from "../box/health.ts";
import { argvOf } from "../box/run-command.ts";
import type { ContainerOptions, Service, ServiceState } from "../container.ts";
import type { Command, HealthCheck } from "../machine.ts";
import type { DockerBox } from "./docker-box.ts";

/** What starts a container of one machine. */
export type StartContainer = (
  options: ContainerOptions,
  command: readonly string[] | undefined,
  name: string,
) => Promise<DockerBox>;

/** Throws a `ConfigError` for a service that waits for itself, or for one that does not exist. */
export function checkServices(services: Readonly<Record<string, Service>>): void {
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name))
      throw new ConfigError(`The services ${path.join(", ")} wait for each other.`);
    const service = services[name];
    if (service === undefined)
      throw new ConfigError(`${path.at(-1)} waits for the service ${name}, which does not exist.`);
    for (const other of Object.keys(service.after ?? {})) visit(other, [...path, name]);
  };
  for (const name of Object.keys(services)) visit(name, []);
}

/** The services of a machine: each starts when those that it waits for are ready. */
export class DockerServices {
  readonly #services: Readonly<Record<string, Service>>;
  readonly #start: StartContainer;
  readonly #signal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #boxes = new Map<string, Promise<DockerBox>>();
  readonly #healthy = new Map<string, Promise<void>>();

  constructor(
    services: Readonly<Record<string, Service>>,
    {
      start,
      signal,
      timeoutMs = 600_000,
    }: {
      readonly start: StartContainer;
      readonly signal: AbortSignal | undefined;
      /** The time in which a service that others wait for must end. */
      readonly timeoutMs: number | undefined;
    },
  ) {
    this.#timeoutMs = timeoutMs;
    this.#services = services;
    this.#start = start;
    this.#signal = signal;
  }

  /** Starts all, and waits until the machine may start. Rejects with the log of one that fails. */
  async ready(after: ContainerOptions["after"] = {}): Promise<Readonly<Record<string, DockerBox>>> {
    const names = Object.keys(this.#services);
    await Promise.all([this.#wait(after), ...names.map((name) => this.#box(name))]);
    const boxes = await Promise.all(
      names.map(async (name) => {
        const box = await this.#box(name);
        await this.#checkRunning(name, box);
        return [name, box] as const;
      }),
    );
    return Object.fromEntries(boxes);
  }

  #box(name: string): Promise<DockerBox> {
    const known = this.#boxes.get(name);
    if (known !== undefined) return known;
    const { command, ...options } = this.#services[name]!;
    const started = this.#wait(options.after ?? {}).then(() =>
      this.#start(options, command === undefined ? undefined : argvOf(command), name),
    );
    this.#boxes.set(name, started);
    return started;
  }

  async #wait(after: Readonly<Record<string, ServiceState>>): Promise<void> {
    await Promise.all(
      Object.entries(after).map(async ([name, state]) => {
        const box = await this.#box(name);
        if (state === "started") return;
        if (state === "completed") {
          await this.#untilEnd(name, box);
          return await this.#checkRunning(name, box);
        }
        const healthy = this.#healthy.get(name) ?? this.#untilHealthy(name, box);
        this.#healthy.set(name, healthy);
        await healthy;
      }),
    );
  }

  async #untilEnd(name: string, box: DockerBox): Promise<void> {
    const stop = new AbortController();
    const late = sleep(this.#timeoutMs, undefined, { signal: stop.signal }).then(
      () => {
        throw new Error(`The service ${name} did not end in ${this.#timeoutMs} ms.`);
      },
      () => {},
    );
    try {
      await Promise.race([box.container.wait(), late]);
    } finally {
      stop.abort();
    }
  }

  async #untilHealthy(name: string, box: DockerBox): Promise<void> {
    const { healthCheck, env = {}, user, workdir } = this.#services[name]!;
    const check = healthCheck ?? (await imageCheck(box));
    if (check === undefined)
      throw new ConfigError(
        `The service ${name} has no health check, and another container waits for it to be healthy.`,
      );
    try {
      await waitUntilHealthy(box, check, { user, env, cwd: workdir, signal: this.#signal });
    } catch (error) {
      await this.#checkRunning(name, box);
      const log = (await box.logs()).trim().slice(-500);
      throw new Error(`The service ${name} is not ready: ${messageOf(error)}\n${log}`, {
        cause: error,
      });
    }
  }

  async #checkRunning(name: string, box: DockerBox): Promise<void> {
    const { Running, ExitCode } = (await box.container.inspect()).State;
    if (Running || ExitCode === 0) return;
    const log = (await box.logs()).trim().slice(-1000);
    throw new Error(`The service ${name} ended with ${ExitCode}:\n${log || "no output"}`);
  }
}

/** The health check of the service's image. Its times are in nanoseconds. */
async function imageCheck({ docker, container }: DockerBox): Promise<HealthCheck | undefined> {
  const { Healthcheck } = (
    (await docker.getImage((await container.inspect()).Image).inspect()) as {
      readonly Config: { readonly Healthcheck?: Docker.HealthConfig };
    }
  ).Config;
  const command = testCommand(Healthcheck?.Test ?? []);
  if (command === undefined) return undefined;
  const { Interval = 0, Timeout = 0, StartPeriod = 0, Retries = 0 } = Healthcheck ?? {};
  return {
    command,
    intervalMs: Interval / 1e6 || 30_000,
    timeoutMs: Timeout / 1e6 || 30_000,
    startPeriodMs: StartPeriod / 1e6,
    retries: Retries || 3,
  };
}

/** `["CMD", …]`, `["CMD-SHELL", line]` or `["NONE"]`. */
function testCommand([kind, ...words]: readonly string[]): Command | undefined {
  if (kind === "CMD" && words.length > 0) return words;
  return kind === "CMD-SHELL" ? words[0] : undefined;
}
