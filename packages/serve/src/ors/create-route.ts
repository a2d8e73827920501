import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import type { ServeContext } from "../context.ts";
import { ServeError } from "../failure.ts";
import { failures } from "../http-failures.ts";
import { queryOf } from "../openenv/reset-query.ts";
import { quoted } from "../quoted.ts";
import { EnvironmentNames } from "./environment-names.ts";
import type { Games } from "./games.ts";
import { Refusal } from "./refusal.ts";
import { createBody, sid, taskSpec } from "./schemas.ts";
import { sessionId } from "./session-id.ts";

/** How sessions begin. */
export function createRoute(
  instance: FastifyInstance,
  { environments, first }: Pick<ServeContext, "environments" | "first">,
  games: Games,
): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();
  const names = new EnvironmentNames({ environments });

  app.post(
    "/create",
    { schema: { tags: ["ors"], body: createBody, response: { 200: sid, ...failures } } },
    async (request) => {
      const { env_name: name, task_spec: spec, split, index } = request.body;
      const id = sessionId(request);
      const served =
        typeof name === "string" ? names.get(name) : (names.deployed(request.headers) ?? first);
      if (served === undefined)
        throw new ServeError(
          "unknown-environment",
          `There is no environment named ${quoted(name)}. There is: ${[...environments.keys()].join(", ")}.`,
        );
      const game = await games.create(id, served, async () => {
        const asked = taskSpec.safeParse(spec ?? { split, index });
        if (asked.success) return queryOf(served.host, asked.data);
        throw new Refusal(400, `This is no task of this server: ${z.prettifyError(asked.error)}`);
      });
      game.prompt().catch((error: unknown) => {
        if (!(error instanceof ServeError)) request.log.error({ err: error });
      });
      return { sid: id };
    },
  );
}
