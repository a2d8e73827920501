import type { ImageSource, MachineOptions, Network } from "@envs/machine";

import type { EnvironmentConfig } from "../task/config.ts";
import { withHostVariables } from "../task/host-variables.ts";

/** Where the host's variables come from, and which cancellation ends the machine. */
export interface MachineContext {
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** The machine that a table `[environment]` describes. `folder` has its Dockerfile. */
export function machineOptions(
  config: EnvironmentConfig,
  folder: string,
  { host, signal }: MachineContext,
): MachineOptions {
  const { cpus, memory_mb: memory, storage_mb: storage, healthcheck: check } = config;
  return {
    image: imageOf(config, folder),
    env: withHostVariables(config.env, host, folder),
    workdir: config.workdir,
    network: networkOf(config) ?? "public",
    resources: {
      cpus,
      memory: memory === undefined ? undefined : memory * 2 ** 20,
      storage: storage === undefined ? undefined : storage * 2 ** 20,
    },
    healthCheck: check && {
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

function imageOf({ docker_image: name }: EnvironmentConfig, folder: string): ImageSource {
  return name === undefined ? { folder } : { name };
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
