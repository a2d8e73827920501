import type { Readable } from "node:stream";

import * as z from "zod";

const failure = z.object({
  detail: z.union([
    z.string(),
    z.array(z.looseObject({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })),
  ]),
});

/** What routes answer when they cannot serve a request, for their schemas. */
export const failures = { "4xx": failure, "5xx": failure };

/** What a route answers as plain text, for its schema. */
export const plainText = { content: { "text/plain": { schema: z.string() } } };

const sentEvent = z.object({ event: z.string().optional(), data: z.string().optional() });

/** What a route answers as a stream of events, for its schema: each event. */
export const events = {
  content: { "text/event-stream": { schema: sentEvent as z.ZodType as z.ZodType<Stream> } },
};

type Stream = string | Readable;
