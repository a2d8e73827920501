import { existsSync } from "node:fs";
import { join } from "node:path";

import { readCompose } from "../compose/compose.ts";
import type { EnvironmentConfig, TaskConfig } from "./config.ts";
import type { HarborTask } from "./task.ts";

/** Machines allow hosts by name only. */
function allowsAddress({ environment, agent, verifier, steps = [] }: TaskConfig): boolean {
  const phases = [
    environment,
    agent,
    verifier,
    ...steps.flatMap((step) => [step.agent, step.verifier]),
  ];
  return phases
    .flatMap(({ allowed_hosts: hosts = [] }) => hosts)
    .some((host) => /^[\d./]+$|:/u.test(host));
}

/** The services that artifacts and collected files come from. */
function servicesOf({ artifacts, verifier, steps = [] }: TaskConfig): readonly string[] {
  const all = [
    ...artifacts,
    ...verifier.collect,
    ...steps.flatMap((step) => [...step.artifacts, ...step.verifier.collect]),
  ];
  return [...new Set(all.flatMap(({ service }) => service ?? []))];
}

function mcpProblem({ name, url, command }: EnvironmentConfig["mcp_servers"][number]): string[] {
  if (url === undefined)
    return command === undefined ? [`its MCP server ${name} has neither url nor command`] : [];
  const isHttp = /^https?:$/u.test(URL.parse(url)?.protocol ?? "");
  return isHttp ? [] : [`its MCP server ${name} has the address ${url}, which is not an HTTP URL`];
}

/** Why this package cannot run a task. Empty for a task that it can run. */
export function obstaclesOf({ folder, config }: HarborTask): readonly string[] {
  const { environment, verifier } = config;
  const environments = [environment, ...(verifier.environment ? [verifier.environment] : [])];
  const own = join(folder, "environment");
  const compose = readCompose(own, {});
  const hasImage =
    environment.docker_image !== undefined ||
    compose?.main.image !== undefined ||
    existsSync(join(own, "Dockerfile"));
  const missing = servicesOf(config).filter(
    (name) => name !== "main" && compose?.services[name] === undefined,
  );
  return [
    ...(environments.some(({ os }) => os === "windows") ? ["it needs Windows"] : []),
    ...(environments.some(({ gpus }) => gpus > 0) ? ["it needs a GPU"] : []),
    ...(environments.some(({ tpu }) => tpu !== undefined && tpu !== null)
      ? ["it needs a TPU"]
      : []),
    ...(compose?.problems ?? []),
    ...missing.map((name) => `it reads files of the service ${name}, which does not exist`),
    ...(allowsAddress(config) ? ["it allows addresses instead of host names"] : []),
    ...environment.mcp_servers.flatMap(mcpProblem),
    ...(hasImage ? [] : ["it has neither environment/Dockerfile nor docker_image"]),
  ];
}
