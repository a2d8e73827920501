import type { IncomingHttpHeaders } from "node:http";

import type { FastifyInstance } from "fastify";

import { EnvironmentNames, type ServeContext, type ServedEnvironment } from "../context.ts";

/**
 * The environment that the header `X-Deployment` names, as `owner/name` or `name`; `undefined` if this server does not
 * serve it. openreward's client, which TRL uses, sends this header instead of a name in the path.
 */
export function deployedEnvironment(
  names: EnvironmentNames,
  { "x-deployment": header }: IncomingHttpHeaders,
): ServedEnvironment | undefined {
  if (typeof header !== "string") return undefined;
  return names.find(header.slice(header.lastIndexOf("/") + 1));
}

/** Routes of the task API. They answer for the first environment unless the header names another. */
const taskRouteNames = new Set(["splits", "tasks", "num_tasks", "task", "task_range"]);

const firstSegment = (path: string): string => /^\/?(?<first>[^/?]*)/u.exec(path)!.groups!.first!;

/**
 * Redirects requests whose path begins with neither a route nor an environment to the environment that the header names,
 * or else to the first. Call it before routes are added.
 */
export function redirectToEnvironment(
  app: FastifyInstance,
  { environments, first }: Pick<ServeContext, "environments" | "first">,
): void {
  const names = new EnvironmentNames(environments);
  const knownSegments = new Set(environments.keys());
  app.addHook("onRoute", ({ url }) => {
    const segment = firstSegment(url);
    if (!segment.startsWith(":")) knownSegments.add(segment);
  });
  app.addHook("onRequest", async ({ url, headers }, reply) => {
    const segment = firstSegment(url);
    const deployed = deployedEnvironment(names, headers);
    const isDeployedTask = taskRouteNames.has(segment) && deployed !== undefined;
    if (knownSegments.has(segment) && !isDeployedTask) return;
    const otherCase = names.find(segment);
    const rest = otherCase === undefined ? url : url.slice(segment.length + 1);
    const { name } = (otherCase ?? deployed ?? first).host.card;
    await reply.redirect(`/${name}${rest}`, 308);
  });
}
