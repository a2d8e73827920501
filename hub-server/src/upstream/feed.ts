import * as z from "zod";

import { eventHash } from "../platform/hub/event-log.ts";
import type { Hub } from "../platform/hub/hub.ts";
import type { FoundUpstream } from "./find-upstream.ts";
import { invalid, requestUpstream } from "./request.ts";

/** The last event that a mirror has copied. */
export interface FeedPosition {
  readonly sequence: number;
  readonly hash: string;
}

/** Some events after a position. */
export interface FeedPage {
  readonly end: FeedPosition;
  /** The names of the packages that the events have changed. */
  readonly names: ReadonlySet<string>;
  readonly hasMore: boolean;
}

export const feedStart: FeedPosition = { sequence: 0, hash: "0".repeat(64) };

const link = { sequence: z.int(), previousHash: z.string(), hash: z.string() };
/** The type is a text, because a newer hub may have further types. */
const feed = z.object({
  items: z.array(
    z.union([
      z.object({
        ...link,
        at: z.coerce.date(),
        type: z.string(),
        actor: z.string().nullable(),
        subject: z.string(),
        detail: z.record(z.string(), z.unknown()),
      }),
      z.object({ ...link, isHidden: z.literal(true) }),
    ]),
  ),
  last: z.int(),
});

const limit = 1000;

/**
 * Reads the next events of a hub, and verifies that they continue the hash chain: their numbers, links, and the hashes of those
 * that this hub may read. A hub that changes or loses events is an `upstream-invalid` error.
 */
export async function readFeed(
  hub: Hub,
  upstream: Pick<FoundUpstream, "origin">,
  position: FeedPosition,
): Promise<FeedPage> {
  const { origin } = upstream;
  const { status, bytes } = await requestUpstream(hub, upstream, {
    path: `/-/events?since=${position.sequence}&limit=${limit}`,
    accept: "application/json",
    maxBytes: 64 * 2 ** 20,
    timeoutMs: 30_000,
  });
  if (status !== 200) throw invalid(`${origin}/-/events has the status ${status}: it is not a hub`);
  const parsed = feed.safeParse(parseJson(bytes));
  if (!parsed.success) throw invalid(`${origin}/-/events is not an event feed`);
  const { items, last } = parsed.data;
  if (last < position.sequence)
    throw invalid(
      `the event log of ${origin} ends at ${last}, before the event ${position.sequence} that this hub has copied`,
    );
  let end = position;
  const names = new Set<string>();
  for (const event of items) {
    const { sequence, previousHash, hash } = event;
    const isNext = sequence === end.sequence + 1 && previousHash === end.hash;
    if (!isNext || ("type" in event && hashOf(event) !== hash))
      throw invalid(`the event ${sequence} of ${origin} does not continue the hash chain`);
    end = { sequence, hash };
    const name = "type" in event ? packageOf(event) : undefined;
    if (name !== undefined) names.add(name);
  }
  return { end, names, hasMore: items.length > 0 && end.sequence < last };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    return undefined;
  }
}

function hashOf({
  previousHash: previous_hash,
  ...event
}: Omit<Parameters<typeof eventHash>[0], "previous_hash"> & {
  readonly previousHash: string;
}): string {
  return eventHash({ ...event, previous_hash });
}

/** The package of an event whose subject is a package or a version, such as `@envs/tictactoe@0.2.0`. */
function packageOf({
  type,
  subject,
}: {
  readonly type: string;
  readonly subject: string;
}): string | undefined {
  if (!/^(?:package|version|tag)\./.test(type)) return undefined;
  return /^(?:@[^@/]+\/)?[^@/]+/.exec(subject)?.[0];
}
