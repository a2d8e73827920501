import { setTimeout as sleep } from "node:timers/promises";

import { FailureError } from "@envs/terminal";

import type { Connection } from "./trainer-connection.ts";

const tries = 5;

/** Tells a trainer what a rollout earned. Throws a `FailureError` if the trainer does not take it. */
export async function postReward(
  { url, key }: NonNullable<Connection["events"]>,
  value: number,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const problem = await post(url, key, value);
    if (problem === undefined) return;
    if (!problem.isTransient || attempt === tries)
      throw new FailureError(
        `The trainer did not take the reward ${value} at AGL_EVENT_URL: ${problem.reason}.`,
      );
    await sleep(250 * 2 ** attempt);
  }
}

async function post(
  url: string,
  key: string | undefined,
  value: number,
): Promise<{ readonly reason: string; readonly isTransient: boolean } | undefined> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ event_type: "reward", data: { value } }),
      signal: AbortSignal.timeout(30_000),
    });
    await answer.body?.cancel();
    if (answer.ok) return undefined;
    const isTransient = answer.status >= 500 || answer.status === 429 || answer.status === 408;
    return { reason: `it answered ${answer.status}`, isTransient };
  } catch (error) {
    const { cause, message } = error as Error;
    return { reason: cause instanceof Error ? cause.message : message, isTransient: true };
  }
}
