import type { MachineOptions, Network } from "@envs/machine";

import { readCompose } from "../compose/compose.ts";
import type { EnvironmentConfig, TaskConfig } from "../task/config.ts";
import { withHostVariables } from "../task/host-variables.ts";

/** Where the host's variables come from, and which cancellation ends the machine. */
export interface MachineContext {
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * The machine that a table `[environment]` and the files of `folder` describe: a Dockerfile, or a Compose file with services beside the
 * agent's box. Pass `canRestrict` if a later phase restricts the network.
 */
export function machineOptions(
  config: EnvironmentConfig,
  folder: string,
  { host, signal }: MachineContext,
  canRestrict = true,
): MachineOptions {
  const { cpus, memory_mb: memory, storage_mb: storage, healthcheck: check } = config;
  const compose = readCompose(folder, host);
  const { main, services = {} } = compose ?? {};
  const { docker_image: name } = config;
  return {
    ...main,
    services,
    canRestrict: canRestrict || compose === undefined,
    image: main?.image ?? (name === undefined ? { folder } : { name }),
    env: { ...main?.env, ...withHostVariables(config.env, host, folder) },
    workdir: config.workdir ?? main?.workdir,
    network: networkOf(config) ?? "public",
    resources: {
      cpus: cpus ?? main?.resources?.cpus,
      memory: memory === undefined ? main?.resources?.memory : memory * 2 ** 20,
      storage: storage === undefined ? undefined : storage * 2 ** 20,
    },
    healthCheck:
      check === undefined
        ? main?.healthCheck
        : {
            command: check.command,
            intervalMs: check.interval_sec * 1000,
            timeoutMs: check.timeout_sec * 1000,
            startPeriodMs: check.start_period_sec * 1000,
            startIntervalMs: check.start_interval_sec * 1000,
            retries: check.retries,
          },
    buildTimeoutMs: config.build_timeout_sec * 1000,
    signal,
  };
}

/** Whether a phase of a task has another network than the whole internet. */
export function restrictsNetwork({
  environment,
  agent,
  verifier,
  steps = [],
}: TaskConfig): boolean {
  const phases = [
    environment,
    agent,
    verifier,
    ...steps.flatMap((step) => [step.agent, step.verifier]),
  ];
  return phases.some((phase) => (networkOf(phase) ?? "public") !== "public");
}

/** The network of a table; `undefined` if the table leaves it as it is. */
export function networkOf(config: {
  readonly network_mode?: "public" | "no-network" | "allowlist" | undefined;
  readonly allowed_hosts?: readonly string[] | undefined;
}): Network | undefined {
  if (config.network_mode === undefined) return undefined;
  if (config.network_mode === "public") return "public";
  return config.network_mode === "no-network" ? "none" : { allow: config.allowed_hosts ?? [] };
}
