import type { ReplayedRollout } from "@envs/bundle";
import * as z from "zod";

const message = z.looseObject({ role: z.string(), content: z.string() });
const messages = z.array(message);

const replayed = z.union([
  z.object({ problem: z.string().max(10_000) }),
  z.object({
    reward: z.number(),
    scores: z.record(z.string(), z.number().nullable()),
    stopReason: z.string(),
    isTruncated: z.boolean(),
    prompt: messages,
    completion: messages,
    unjudged: z.record(z.string(), z.number()).optional(),
  }),
]);

const response = z.union([
  z.object({ result: z.object({ rollouts: z.array(replayed) }) }),
  z.object({ error: z.object({ message: z.string() }) }),
]);

/** Why the replay of a run ended. The message is for the run's page. */
export class ReplayProblem extends Error {
  override readonly name = "ReplayProblem";
}

/** The bundle answered, but rejects the request: it has no such example or option. */
export class BundleRejection extends ReplayProblem {}

/** Reads a bundle's response to the replay of `count` rollouts. The bundle is not trusted, so its response may have any form. */
export function readReplayResponse(text: string, count: number): readonly ReplayedRollout[] {
  const parsed = response.safeParse(jsonOf(text));
  if (!parsed.success) throw new ReplayProblem("The bundle's response is not valid.");
  if ("error" in parsed.data) throw new BundleRejection(parsed.data.error.message.slice(0, 1000));
  const { rollouts } = parsed.data.result;
  if (rollouts.length === count) return rollouts as readonly ReplayedRollout[];
  throw new ReplayProblem(`The bundle scored ${rollouts.length} rollouts of ${count}.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
