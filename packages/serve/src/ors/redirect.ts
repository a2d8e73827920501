import type { FastifyInstance } from "fastify";

import type { ServeContext } from "../context.ts";
import { EnvironmentNames } from "./environment-names.ts";

/** Routes of tasks that answer for the first environment if no other is named. */
const shared = new Set(["splits", "tasks", "num_tasks", "task", "task_range"]);

const firstSegment = (path: string): string => /^\/?(?<first>[^/?]*)/u.exec(path)!.groups!.first!;

/**
 * Sends requests whose path begins with no route's and no environment's name to the environment that a header names, or
 * else to the first. To be called before routes are added.
 */
export function redirectToEnvironment(
  app: FastifyInstance,
  { environments, first }: Pick<ServeContext, "environments" | "first">,
): void {
  const names = new EnvironmentNames({ environments });
  const known = new Set(environments.keys());
  app.addHook("onRoute", ({ url }) => {
    const segment = firstSegment(url);
    if (!segment.startsWith(":")) known.add(segment);
  });
  app.addHook("onRequest", async ({ url, headers }, reply) => {
    const segment = firstSegment(url);
    const deployed = names.deployed(headers);
    if (known.has(segment) && !(shared.has(segment) && deployed !== undefined)) return;
    const spelled = names.get(segment);
    const rest = spelled === undefined ? url : url.slice(segment.length + 1);
    const { name } = (spelled ?? deployed ?? first).host.card;
    await reply.redirect(`/${name}${rest}`, 308);
  });
}
