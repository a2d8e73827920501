import type { FastifyRequest } from "fastify";
import type { ReactNode } from "react";
import * as z from "zod";

import type { LogEntry, LogPage } from "../../events/read-log.ts";
import { DateTime, Entry } from "./elements.tsx";
import { eventSentence } from "./event-sentence.ts";

const query = z.object({ before: z.coerce.number().int().positive().optional().catch(undefined) });

/** The sequence number in the address before which a page of a log begins. */
export function beforeOf(request: FastifyRequest): number | undefined {
  return query.parse(request.query).before;
}

/** A page of the event log, newest first. */
export function EventLog({
  path,
  log: { items, before },
}: {
  readonly path: string;
  readonly log: LogPage;
}): ReactNode {
  if (items.length === 0) return <p>There are no events.</p>;
  return (
    <>
      <ul className="list" aria-label="Events">
        {items.map((entry) => {
          const { sentence, details } = eventSentence(entry);
          return (
            <li key={entry.sequence}>
              <Entry title={sentence}>
                by <Actor entry={entry} />, <DateTime date={entry.at} />
                {details.map(([name, text]) => `, ${name}: ${text}`).join("")}
              </Entry>
            </li>
          );
        })}
      </ul>
      {before !== undefined && (
        <nav className="pages" aria-label="Pages">
          <a rel="next" href={`${path}?before=${before}`}>
            Older events
          </a>
        </nav>
      )}
    </>
  );
}

function Actor({ entry: { actor, detail } }: { readonly entry: LogEntry }): ReactNode {
  if (Object.hasOwn(detail, "moderation")) return "a moderator of this hub";
  if (actor === null) return "the hub";
  return (
    <>
      <a href={`/user/${actor}`}>{actor}</a>
      {Object.hasOwn(detail, "byAdministrator") && (
        <>
          {" "}
          <span className="tag warn">administrator of this hub</span>
        </>
      )}
    </>
  );
}
