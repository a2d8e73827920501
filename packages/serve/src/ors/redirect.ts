import type { FastifyInstance } from "fastify";

import type { ServeContext } from "../context.ts";

const firstSegment = (path: string): string => /^\/?(?<first>[^/?]*)/u.exec(path)!.groups!.first!;

/** Sends requests whose path begins with no route's and no environment's name to the first environment. Before all routes. */
export function redirectToFirst(
  app: FastifyInstance,
  { environments, first }: Pick<ServeContext, "environments" | "first">,
): void {
  const known = new Set(environments.keys());
  const spelled = new Map([...environments.keys()].map((name) => [name.toLowerCase(), name]));
  app.addHook("onRoute", ({ url }) => {
    const segment = firstSegment(url);
    if (!segment.startsWith(":")) known.add(segment);
  });
  app.addHook("onRequest", async ({ url }, reply) => {
    const segment = firstSegment(url);
    if (known.has(segment)) return;
    const name = spelled.get(segment.toLowerCase());
    const rest = name === undefined ? url : url.slice(segment.length + 1);
    await reply.redirect(`/${name ?? first.host.card.name}${rest}`, 308);
  });
}
