import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import type { ServedEnvironment } from "../context.ts";
import { quote, ServeError } from "../errors.ts";
import { groupScoresOf } from "../host/episode-host.ts";
import { errorResponses } from "../http/openapi.ts";
import type { Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";

const maxGroupSize = 1024;

const body = z.strictObject({
  sessions: z
    .array(z.string())
    .min(1)
    .max(maxGroupSize)
    .describe("The ids of the sessions with the group's ended episodes, all of one example"),
});

const results = z.object({
  results: z
    .array(
      z.object({
        session: z.string(),
        reward: z.number(),
        scores: z.record(z.string(), z.number().nullable()),
        stop_reason: z.string(),
        is_truncated: z.boolean(),
      }),
    )
    .describe("In the order of the request"),
});

/** Scores the episodes of a group, for protocols whose rewards belong to one episode. */
export function groupRoutes(
  instance: FastifyInstance,
  { host }: ServedEnvironment,
  sessions: Sessions,
): void {
  if (groupScoresOf(host.card).length === 0) return;
  const app = instance.withTypeProvider<ZodTypeProvider>();
  const find = (id: string): Session => {
    const session = sessions.find(id);
    if (session?.host === host && session.outcome !== undefined) return session;
    throw new ServeError(
      "no-episode",
      `The session ${quote(id)} of ${host.card.name} does not exist, or its episode has not ended. Keep the sessions of a group open until the group is scored.`,
    );
  };

  app.post(
    "/score_group",
    {
      schema: {
        tags: ["groups"],
        description: "Score the episodes of one example together",
        body,
        response: { 200: results, ...errorResponses },
      },
    },
    async ({ body: { sessions: ids } }) => {
      const members = ids.map(find);
      checkGroup(members);
      const outcomes = await host.scoreGroup(ids);
      return {
        results: members.map((member, index) => {
          const outcome = outcomes[index]!;
          member.outcome = outcome;
          const { reward, scores, stopReason, isTruncated } = outcome;
          return {
            session: member.id,
            reward,
            scores: { ...scores },
            stop_reason: stopReason,
            is_truncated: isTruncated,
          };
        }),
      };
    },
  );
}

/** Throws a {@link ServeError} unless the sessions are different and played the same example. */
function checkGroup(members: readonly Session[]): void {
  if (new Set(members).size < members.length)
    throw new ServeError("invalid-action", "A session is twice in the group. Send each once.");
  const examples = new Set(members.map(({ task }) => `${task?.split} ${task?.index}`));
  if (examples.size > 1)
    throw new ServeError(
      "invalid-action",
      `The sessions played ${examples.size} examples: ${quote([...examples].join(", "))}. A group has rollouts of one example.`,
    );
  const seats = new Set(members.map(({ seat }) => seat));
  if (seats.size > 1)
    throw new ServeError(
      "invalid-action",
      `The sessions played ${seats.size} seats: ${quote([...seats].join(", "))}. A group has rollouts of one seat.`,
    );
}
