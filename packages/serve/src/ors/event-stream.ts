import { setTimeout as sleep } from "node:timers/promises";

import { publicMessage } from "../errors.ts";

const chunkLength = 4096;

/** Headers of a stream of server-sent events. */
export const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** One server-sent event. */
export function event(name: string, data: string): string {
  const lines = data.split(/\r\n|\r|\n/u).map((line) => `data: ${line}\n`);
  return `event: ${name}\n${lines.join("")}\n`;
}

/** A call's events: its id, pings while it runs, and its result in chunks. */
export async function* callEvents(
  id: string,
  result: Promise<string>,
  pingIntervalMs = 10_000,
): AsyncGenerator<string, void, void> {
  yield event("task_id", id);
  const lastEvents = result.then(
    (json) => [...resultEvents(json)],
    (error: unknown) => [event("error", publicMessage(error))],
  );
  let events: string[] | undefined;
  while (events === undefined) {
    const controller = new AbortController();
    const ping = sleep(pingIntervalMs, undefined, { signal: controller.signal, ref: false });
    events = await Promise.race([lastEvents, ping.catch(() => undefined)]);
    controller.abort();
    if (events === undefined) yield ": ping\n\n";
  }
  yield* events;
}

function* resultEvents(json: string): Generator<string, void, void> {
  let rest = json;
  while (rest.length > chunkLength) {
    const length = endsInSurrogatePair(rest) ? chunkLength - 1 : chunkLength;
    yield event("chunk", rest.slice(0, length));
    rest = escapeLeadingSpace(rest.slice(length));
  }
  yield event("end", rest);
}

/** Whether a cut at the chunk length would split a surrogate pair. */
function endsInSurrogatePair(text: string): boolean {
  return text.codePointAt(chunkLength - 1)! > 0xffff;
}

/** Clients strip white space from the start of a chunk. In compact JSON it occurs only inside strings, where an escape is valid. */
function escapeLeadingSpace(json: string): string {
  if (!/^[\s\u0085]/u.test(json)) return json;
  return `\\u${json.charCodeAt(0).toString(16).padStart(4, "0")}${json.slice(1)}`;
}
