import type { HttpReply } from "@envs/models/server";

/** The headers of a stream of server-sent events. */
export const streamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
};

/** Writes one server-sent event. Some dialects name their events. */
export function sseEvent(data: unknown, name?: string): string {
  const line = `data: ${JSON.stringify(data)}\n\n`;
  return name === undefined ? line : `event: ${name}\n${line}`;
}

/** Writes a whole stream whose events are named by their `type`. */
export function typedStream(events: readonly { readonly type: string }[]): HttpReply {
  const body = events.map((event) => sseEvent(event, event.type)).join("");
  return { status: 200, headers: streamHeaders, body };
}
