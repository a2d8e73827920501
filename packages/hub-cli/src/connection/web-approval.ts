import { setTimeout as sleep } from "node:timers/promises";

import { HubRequestError, problem } from "@envs/hub-client";
import * as z from "zod";

const granted = z.object({ token: z.string().min(1) });
const longestWait = 30;
/** A hub that restarts, or a network that comes and goes, is no decision. */
const mostFailures = 5;

/** An address that a hub wants opened or asked; `undefined` if it is not one of the web. */
export function webAddress(text: unknown): string | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** Asks until the person has decided, as often as the hub wants. Resolves to what they granted. */
export async function granting(done: string, signal?: AbortSignal): Promise<string> {
  for (let failures = 0; ;) {
    const answer = await poll(done, signal);
    failures = answer === undefined ? failures + 1 : 0;
    if (failures === mostFailures)
      throw new HubRequestError(
        `Nothing answers at ${new URL(done).origin} any more. Check that the hub is running, and begin again.`,
        { code: "unreachable" },
      );
    if (answer !== undefined && "token" in answer) return answer.token;
    await sleep((answer?.wait ?? 2) * 1000, undefined, signal && { signal });
  }
}

async function poll(
  done: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly token: string } | { readonly wait: number } | undefined> {
  let response: Response;
  try {
    response = await fetch(done, signal === undefined ? {} : { signal });
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (response.status === 202) return { wait: secondsIn(response.headers.get("retry-after")) };
  if (response.status >= 500) return undefined;
  const { data } = granted.safeParse(body);
  if (response.ok && data !== undefined) return data;
  const refused = problem.safeParse(body).data;
  throw new HubRequestError(
    refused?.message ??
      `${new URL(done).origin} answers ${response.status}, but not as a hub does.`,
    { status: response.status, code: refused?.code ?? "not-a-hub" },
  );
}

function secondsIn(header: string | null): number {
  const seconds = Number(header ?? 2);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0.2), longestWait) : 2;
}
