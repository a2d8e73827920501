import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";

import type { Command, HealthCheck, Service, ServiceState } from "@envs/machine";

import type { HostVariables } from "../task/host-variables.ts";
import { milliseconds } from "./duration.ts";
import type { ComposeService } from "./schema.ts";

const states: Readonly<Record<string, ServiceState>> = {
  service_started: "started",
  service_healthy: "healthy",
  service_completed_successfully: "completed",
};

/** A service as machines know it. Throws for what is invalid, with the reason. */
export function containerOf(
  service: ComposeService,
  folder: string,
  host: HostVariables,
): Omit<Service, "image"> {
  const { command, entrypoint, environment, user, working_dir: workdir, cpus } = service;
  const env = environment.flatMap(([name, value = host[name]]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const after = Object.entries(service.depends_on).map(([name, { condition }]) => {
    const state = states[condition];
    if (state === undefined) throw new Error(`${condition} is not a condition of depends_on`);
    return [name, state] as const;
  });
  const memory = service.mem_limit === undefined ? undefined : bytes(service.mem_limit);
  return {
    env: Object.fromEntries(env),
    user,
    workdir,
    after: Object.fromEntries(after),
    resources: { cpus, memory },
    healthCheck: healthCheckOf(service.healthcheck),
    ...(command == null ? {} : { command: wordsOf(command) }),
    ...(entrypoint == null ? {} : { entrypoint: wordsOf(entrypoint) }),
    ...mountsOf(service, folder),
  };
}

/** Compose splits a text like a shell, without running one. */
function wordsOf(command: string | readonly string[]): readonly string[] {
  if (typeof command !== "string") return command;
  const words = [...command.matchAll(/(?:"((?:\\.|[^"\\])*)"|'([^']*)'|((?:\\.|[^\s"'\\])+))+/gu)];
  return words.map(([text]) =>
    text.replaceAll(
      /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gu,
      (_, double: string | undefined, single: string | undefined, escaped: string | undefined) =>
        double?.replaceAll(/\\(["\\$`])/gu, "$1") ?? single ?? escaped ?? "",
    ),
  );
}

function healthCheckOf(check: ComposeService["healthcheck"]): HealthCheck | undefined {
  const test = check?.test;
  if (check === undefined || check.disable || test === undefined) return undefined;
  const command = testOf(test);
  if (command === undefined) return undefined;
  const startPeriodMs = milliseconds(check.start_period) ?? 0;
  return {
    command,
    intervalMs: milliseconds(check.interval) ?? 30_000,
    timeoutMs: milliseconds(check.timeout) ?? 30_000,
    startPeriodMs,
    startIntervalMs: milliseconds(check.start_interval),
    // Engines wait for an interval before the first check; a machine does not.
    retries: (check.retries ?? 3) + 1,
  };
}

function testOf(test: string | readonly string[]): Command | undefined {
  if (typeof test === "string") return test;
  const [kind, ...words] = test;
  if (kind === "NONE") return undefined;
  return kind === "CMD-SHELL" ? words.join(" ") : kind === "CMD" ? words : test;
}

/** Named volumes are shared; files of the environment are copied in; nothing else of this computer enters. */
function mountsOf({ volumes }: ComposeService, folder: string): Pick<Service, "volumes" | "files"> {
  const named: Record<string, string> = {};
  const files: Record<string, string> = {};
  for (const [index, volume] of volumes.entries()) {
    const { source, target } = typeof volume === "string" ? parts(volume) : volume;
    const isPath = source !== undefined && /^[./~]/u.test(source);
    if (typeof volume === "object" && volume.type === "tmpfs") continue;
    // Harbor's own folders for logs: they are in every machine.
    if (target.startsWith("/logs/") && (isPath || source === "")) continue;
    if (!isPath) {
      named[target] = source || `anonymous-${index}`;
      continue;
    }
    const path = resolve(folder, source);
    const inner = relative(folder, path);
    if (inner.startsWith("..") || isAbsolute(inner) || source.startsWith("~"))
      throw new Error(`it mounts ${source} of this computer (volumes)`);
    if (!existsSync(path)) throw new Error(`it mounts ${source}, which does not exist (volumes)`);
    files[target] = path;
  }
  return { volumes: named, files };
}

/** `source:target:mode`, or a target alone. */
function parts(volume: string): { readonly source: string | undefined; readonly target: string } {
  const [first = "", second] = volume.split(":");
  return second === undefined
    ? { source: undefined, target: first }
    : { source: first, target: second };
}

function bytes(size: string): number {
  const [, number, unit = "b"] = /^(\d+(?:\.\d+)?)\s*([bkmg])?b?$/iu.exec(size) ?? [];
  if (number === undefined) throw new Error(`${size} is not a size such as 512m (mem_limit)`);
  return Math.round(
    Number(number) * { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }[unit.toLowerCase()]!,
  );
}
