import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

import type { SentMessage } from "./conversations.ts";
import type { Contender } from "./peers.ts";

// One agent per gateway keeps its connections.
const agents = new WeakMap<Contender, Agent>();

/** What a client measures of a call, in milliseconds. */
export interface CallTime {
  /** The time until the first bytes of the reply that contain a token. */
  readonly first: number;
  readonly whole: number;
}

interface CallOptions {
  /** The number in the last message. */
  readonly index: number;
  /** Default: each index has its own. */
  readonly session?: number | undefined;
  readonly isStream: boolean;
  /** The messages before the last. Default: none. */
  readonly earlier?: readonly SentMessage[] | undefined;
}

/** Sends a chat completion. Throws unless its reply is complete. */
export async function call(
  contender: Contender,
  { index, session = index, isStream, earlier = [] }: CallOptions,
): Promise<CallTime> {
  const agent = agents.get(contender) ?? new Agent({ keepAlive: true, maxSockets: Infinity });
  agents.set(contender, agent);
  const body = JSON.stringify({
    model: "model",
    messages: [
      ...earlier,
      { role: "user", content: `Hello ${index}${isStream ? ", slowly" : ""}` },
    ],
    ...(isStream ? { stream: true } : {}),
  });
  const start = performance.now();
  const outgoing = request(`${contender.origin}/v1/chat/completions`, {
    method: "POST",
    agent,
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...contender.headers(session),
    },
  });
  outgoing.end(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.on("response", resolve).on("error", reject),
  );
  let first = 0;
  response.on("data", (chunk) => {
    if (first === 0 && String(chunk).includes('"content":"Yes')) first = performance.now() - start;
  });
  const reply = await text(response);
  const whole = performance.now() - start;
  if (response.statusCode !== 200 || first === 0 || (isStream && !reply.includes("[DONE]")))
    throw new Error(`${contender.name} replied ${response.statusCode} ${reply.slice(0, 300)}`);
  return { first, whole };
}
