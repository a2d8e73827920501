import { setTimeout } from "node:timers/promises";

import { publicMessage } from "../failure.ts";

const chunkLength = 4096;

/** What a stream of events is sent with. */
export const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** One event. */
export function event(name: string, data: string): string {
  const lines = data.split(/\r\n|\r|\n/u).map((line) => `data: ${line}\n`);
  return `event: ${name}\n${lines.join("")}\n`;
}

/** A call as events: its id, pings while it runs, its result in pieces. */
export async function* callEvents(
  id: string,
  result: Promise<string>,
  pingEvery = 10_000,
): AsyncGenerator<string, void, void> {
  yield event("task_id", id);
  const ended = result.then(
    (text) => [...resultEvents(text)],
    (error: unknown) => [event("error", publicMessage(error))],
  );
  let events: string[] | undefined;
  while (events === undefined) {
    const isOver = new AbortController();
    const wait = setTimeout(pingEvery, undefined, { signal: isOver.signal, ref: false });
    events = await Promise.race([ended, wait.catch(() => undefined)]);
    isOver.abort();
    if (events === undefined) yield ": ping\n\n";
  }
  yield* events;
}

function* resultEvents(json: string): Generator<string, void, void> {
  let rest = json;
  while (rest.length > chunkLength) {
    const length = endsInPair(rest) ? chunkLength - 1 : chunkLength;
    yield event("chunk", rest.slice(0, length));
    rest = escapeFirst(rest.slice(length));
  }
  yield event("end", rest);
}

/** Whether a cut would part two halves of one character. */
function endsInPair(text: string): boolean {
  return text.codePointAt(chunkLength - 1)! > 0xffff;
}

/** Clients strip what a piece begins with if it is white; there is such a thing only inside the strings of JSON. */
function escapeFirst(json: string): string {
  if (!/^[\s\u0085]/u.test(json)) return json;
  return `\\u${json.charCodeAt(0).toString(16).padStart(4, "0")}${json.slice(1)}`;
}
