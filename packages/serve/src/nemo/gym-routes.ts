import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import { requireTextOnly } from "../content-blocks.ts";
import type { Outcome } from "../host/episode-host.ts";
import { errorResponses } from "../http/openapi.ts";
import { promptText } from "../message-text.ts";
import { type GymStep, gymStep } from "./gym-step.ts";
import { lastTurn } from "./model-turn.ts";
import { episodeOver, type NemoSessions } from "./nemo-sessions.ts";
import {
  type GymStepResult,
  gymStepResult,
  resetResult,
  type Row,
  row,
  rowWithResponse,
} from "./schemas.ts";
import { sessionCookie, sessionIdInCookie } from "./session-cookie.ts";

const commonInfo = { supports_explicit_close: true } as const;

/** NeMo Gym's Gymnasium style: a reset, then a step for each turn of the model. */
export function gymRoutes(instance: FastifyInstance, sessions: NemoSessions): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();

  app.post(
    "/reset",
    { schema: { body: row, response: { 200: resetResult, ...errorResponses } } },
    async ({ headers, body }, reply) => {
      const session = sessions.findOrOpen(sessionIdInCookie(headers.cookie));
      const opening = await sessions.start(session, body);
      reply.header("set-cookie", sessionCookie(session.id));
      if (hasPrompt(body)) return { observation: null, info: commonInfo };
      requireTextOnly(opening.messages, "an observation of NeMo Gym");
      const { systemPrompt, text } = promptText(opening.messages);
      const observation = [systemPrompt, text].filter(Boolean).join("\n\n");
      return { observation, info: commonInfo };
    },
  );

  app.post(
    "/step",
    { schema: { body: rowWithResponse, response: { 200: gymStepResult, ...errorResponses } } },
    async ({ headers, body }) => {
      const id = sessionIdInCookie(headers.cookie);
      const turn = lastTurn(body.response);
      const pastOutcome = sessions.outcome(id);
      if (pastOutcome !== undefined) {
        const toolOutputs = turn.calls.map((call) => ({ call_id: call.id, output: episodeOver }));
        return stepResult({ observation: null, toolOutputs }, await pastOutcome, 0);
      }
      const session = sessions.get(id);
      const earlierReward = session.earlyReward;
      const step = await gymStep(session, sessions.toolsOf(id), turn);
      if (session.outcome === undefined)
        return stepResult(step, undefined, session.earlyReward - earlierReward);
      // If several steps run at once, only the first to end returns the reward.
      const isReported = sessions.outcome(session.id) !== undefined;
      const outcome = await sessions.end(session, () => session.finish());
      return stepResult(step, outcome, isReported ? 0 : outcome.reward - earlierReward);
    },
  );

  app.post(
    "/close",
    { schema: { response: { 200: z.object({}), ...errorResponses } } },
    async ({ headers }) => {
      await sessions.close(sessionIdInCookie(headers.cookie));
      return {};
    },
  );
}

/** Agents append a reset's observation to the row's prompt, so for a row with a prompt, the observation must not repeat it. */
function hasPrompt({ responses_create_params: params }: Row): boolean {
  return (params?.input?.length ?? 0) > 0;
}

function stepResult(
  { observation, toolOutputs }: GymStep,
  outcome: Outcome | undefined,
  reward: number,
): GymStepResult {
  return {
    observation,
    reward,
    terminated: outcome !== undefined && !outcome.isTruncated,
    truncated: outcome?.isTruncated ?? false,
    info: {
      tool_outputs: [...toolOutputs],
      ...(outcome && { scores: outcome.scores, stop_reason: outcome.stopReason }),
      ...commonInfo,
    },
  };
}
