import { setTimeout as sleep } from "node:timers/promises";

import { FailureError } from "@envs/terminal";

import type { TrainerConnection } from "./trainer-connection.ts";

const maxAttempts = 5;

/** Posts a rollout's reward to the trainer, with retries. Throws a `FailureError` if the trainer does not accept it. */
export async function postReward(
  { url, key }: NonNullable<TrainerConnection["events"]>,
  value: number,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const problem = await post(url, key, value);
    if (problem === undefined) return;
    if (!problem.isTransient || attempt === maxAttempts)
      throw new FailureError(
        `Cannot post the reward ${value} to AGL_EVENT_URL: ${problem.reason}.`,
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
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ event_type: "reward", data: { value } }),
      signal: AbortSignal.timeout(30_000),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const { status } = response;
    const isTransient = status >= 500 || status === 429 || status === 408;
    return { reason: `the trainer responded with ${status}`, isTransient };
  } catch (error) {
    const { cause, message } = error as Error;
    return { reason: cause instanceof Error ? cause.message : message, isTransient: true };
  }
}
