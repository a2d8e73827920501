import { existsSync } from "node:fs";
import { join } from "node:path";

import type { TaskConfig } from "./config.ts";
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

/** Why this package cannot run a task. Empty for a task that it can run. */
export function obstaclesOf({ folder, config }: HarborTask): readonly string[] {
  const { environment, verifier } = config;
  const environments = [environment, ...(verifier.environment ? [verifier.environment] : [])];
  const services = [...config.artifacts, ...verifier.collect].flatMap(
    ({ service }) => service ?? [],
  );
  const own = join(folder, "environment");
  const hasCompose = ["docker-compose.yaml", "docker-compose.yml"].some((file) =>
    existsSync(join(own, file)),
  );
  const hasImage = environment.docker_image !== undefined || existsSync(join(own, "Dockerfile"));
  return [
    ...(environments.some(({ os }) => os === "windows") ? ["it needs Windows"] : []),
    ...(environments.some(({ gpus }) => gpus > 0) ? ["it needs a GPU"] : []),
    ...(environments.some(({ tpu }) => tpu !== undefined && tpu !== null)
      ? ["it needs a TPU"]
      : []),
    ...(hasCompose ? ["it starts several containers with Docker Compose"] : []),
    ...(services.some((service) => service !== "main")
      ? ["it reads files of other containers"]
      : []),
    ...(allowsAddress(config) ? ["it allows addresses instead of host names"] : []),
    ...(environment.mcp_servers.length > 0 ? ["it starts MCP servers for the agent"] : []),
    ...(hasImage || hasCompose ? [] : ["it has neither environment/Dockerfile nor docker_image"]),
  ];
}
