import { randomUUID } from "node:crypto";

import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import type { Outcome, ScoredOutcome } from "../host/episode-host.ts";
import { errorResponses, textResponse } from "../http/openapi.ts";
import { messageText } from "../message-text.ts";
import type { Session } from "../sessions/session.ts";
import { textStep } from "./gym-step.ts";
import { assistantMessage, lastTurn, type ModelTurn } from "./model-turn.ts";
import { NamedSessions } from "./named-sessions.ts";
import { episodeOver, type NemoSessions } from "./nemo-sessions.ts";
import {
  closeBody,
  type RowWithResponse,
  rowWithResponse,
  seedBody,
  sessionName,
  toolArguments,
  verifyResult,
} from "./schemas.ts";
import { sessionCookie, sessionIdInCookie } from "./session-cookie.ts";

/** NeMo Gym's tool style: seed a session, call tools, verify. `/close_session` serves both styles. */
export function toolRoutes(instance: FastifyInstance, sessions: NemoSessions): void {
  const namedSessions = new NamedSessions(sessions);
  const app = instance.withTypeProvider<ZodTypeProvider>();

  app.post(
    "/seed_session",
    { schema: { body: seedBody, response: { 200: sessionName, ...errorResponses } } },
    async ({ headers, body }, reply) => {
      const { name, row } = body;
      let session: Session;
      if (name === undefined) {
        session = sessions.findOrOpen(sessionIdInCookie(headers.cookie));
        await sessions.start(session, row);
      } else session = await namedSessions.start(name, row);
      reply.header("set-cookie", sessionCookie(session.id));
      return { resources_session_id: name };
    },
  );

  app.post(
    "/close_session",
    { schema: { body: closeBody, response: { 200: sessionName, ...errorResponses } } },
    async ({ headers, body }) => {
      const name = body?.resources_session_id;
      if (name === undefined) await sessions.close(sessionIdInCookie(headers.cookie));
      else await namedSessions.close(name);
      return { resources_session_id: name };
    },
  );

  app.post(
    "/verify",
    { schema: { body: rowWithResponse, response: { 200: verifyResult, ...errorResponses } } },
    async ({ headers, body }) => {
      const id = sessionIdInCookie(headers.cookie);
      const turn = lastTurn(body.response);
      const pastOutcome = sessions.outcome(id);
      if (pastOutcome !== undefined) return resultOf(body, await pastOutcome);
      const session = sessions.get(id);
      const outcome = await sessions.end(session, () => stepAndFinish(session, turn));
      return resultOf(body, outcome);
    },
  );

  app.post(
    "/:tool",
    {
      schema: {
        params: z.object({ tool: z.string() }),
        body: toolArguments,
        response: { 200: textResponse, ...errorResponses },
      },
    },
    async ({ headers, params, body }, reply) => {
      const id = sessionIdInCookie(headers.cookie);
      const message = sessions.toolsOf(id).call(params.tool, body ?? {}, `call_${randomUUID()}`);
      reply.type("text/plain; charset=utf-8");
      if (sessions.outcome(id) !== undefined) return episodeOver;
      const { messages, isDone } = await textStep(sessions.get(id), message);
      return [messageText(messages), isDone ? episodeOver : ""].filter(Boolean).join("\n\n");
    },
  );
}

/** Uses the model's last text as its reply. If the turn ends in a call that the agent did not make, it hit a limit. */
async function stepAndFinish(session: Session, turn: ModelTurn): Promise<Outcome> {
  const { calls, isTruncated } = turn;
  if (calls.length === 0) await session.step(assistantMessage(turn), { isTruncated });
  return session.finish();
}

/** Fields of a row, which a score of the same name must not replace. */
const rowFields = new Set([
  "responses_create_params",
  "response",
  "verifier_metadata",
  "agent_ref",
  "reward",
  "is_truncated",
  "stop_reason",
]);

function resultOf(
  row: RowWithResponse,
  { reward, scores, isTruncated, stopReason }: ScoredOutcome,
): z.output<typeof verifyResult> {
  const scoreFields = Object.entries(scores).map(
    ([name, score]) => [rowFields.has(name) ? `score_${name}` : name, score] as const,
  );
  return {
    ...row,
    ...Object.fromEntries(scoreFields),
    reward,
    is_truncated: isTruncated,
    stop_reason: stopReason,
  };
}
