import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import type { Outcome } from "../host/host.ts";
import { failures } from "../http-failures.ts";
import type { ServedTools } from "../served-tools.ts";
import { openingText } from "../text.ts";
import { sessionCookie, setSessionCookie } from "./cookie.ts";
import { type GymStep, gymStep } from "./gym-step.ts";
import { lastTurn } from "./model-turn.ts";
import type { NemoSessions } from "./nemo-sessions.ts";
import { answered, opened, type Row, row, type Stepped, stepped } from "./schemas.ts";
import { isOver } from "./verdict.ts";

const alwaysThere = { supports_explicit_close: true } as const;

/** NeMo Gym's Gymnasium style: reset, then a step with each turn of the model. */
export function gymRoutes(instance: FastifyInstance, tools: ServedTools, all: NemoSessions): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();

  app.post(
    "/reset",
    { schema: { body: row, response: { 200: opened, ...failures } } },
    async ({ headers, body }, reply) => {
      const session = all.open(sessionCookie(headers.cookie));
      const opening = await all.start(session, body);
      reply.header("set-cookie", setSessionCookie(session.id));
      if (hasPrompt(body)) return { observation: null, info: alwaysThere };
      const { systemPrompt, text } = openingText(opening.messages);
      const observation = [systemPrompt, text].filter(Boolean).join("\n\n");
      return { observation, info: alwaysThere };
    },
  );

  app.post(
    "/step",
    { schema: { body: answered, response: { 200: stepped, ...failures } } },
    async ({ headers, body }) => {
      const cookie = sessionCookie(headers.cookie);
      const turn = lastTurn(body.response);
      const known = all.outcome(cookie);
      if (known !== undefined) {
        const told = turn.calls.map(({ id }) => ({ call_id: id, output: isOver }));
        return answerOf({ observation: null, toolOutputs: told }, await known, 0);
      }
      const session = all.running(cookie);
      const step = await gymStep(session, tools, turn);
      if (session.outcome === undefined) return answerOf(step, undefined, 0);
      // Of several steps at once, one tells the reward.
      const isTold = all.outcome(session.id) !== undefined;
      const outcome = await all.end(session, () => session.finish());
      return answerOf(step, outcome, isTold ? 0 : outcome.reward);
    },
  );

  app.post(
    "/close",
    { schema: { response: { 200: z.object({}), ...failures } } },
    async ({ headers }) => {
      await all.close(sessionCookie(headers.cookie));
      return {};
    },
  );
}

/** Agents put the observation of a reset behind the prompt of the row: it must not be there twice. */
function hasPrompt({ responses_create_params: params }: Row): boolean {
  return (params?.input?.length ?? 0) > 0;
}

function answerOf(
  { observation, toolOutputs }: GymStep,
  outcome: Outcome | undefined,
  reward: number,
): Stepped {
  return {
    observation,
    reward,
    terminated: outcome !== undefined && !outcome.isTruncated,
    truncated: outcome?.isTruncated ?? false,
    info: {
      tool_outputs: [...toolOutputs],
      ...(outcome && { scores: outcome.scores, stop_reason: outcome.stopReason }),
      ...alwaysThere,
    },
  };
}
