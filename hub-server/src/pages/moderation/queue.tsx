import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { readLog } from "../../events/read-log.ts";
import { requireIdentity } from "../../identity/request/identity.ts";
import { requireModerator } from "../../moderation/moderator.ts";
import { type DecidedAct, openAppeals, openReports, recentActs } from "../../moderation/queue.ts";
import type { TargetName } from "../../moderation/target.ts";
import { forbidden } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { DateTime, Entry } from "../layout/elements.tsx";
import { beforeOf, EventLog } from "../layout/event-log.tsx";
import { sendPage } from "../layout/page.tsx";
import { requireSession } from "../layout/require-session.ts";
import { actTitle, stateOf } from "./decisions.tsx";

/** Registers the moderators' queue, and the log of the whole hub for administrators. */
export function queuePages(app: FastifyInstance, hub: Hub): void {
  const { database } = hub;

  app.get("/moderation", async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const identity = await requireIdentity(hub, request);
    await requireModerator(database, identity);
    const reports = await openReports(database);
    const appeals = await openAppeals(database);
    const acts = await recentActs(database);
    return sendPage(reply, visitor, {
      title: "Moderation",
      width: "text",
      children: (
        <>
          <p className="quiet">
            A number of reports never causes an act by itself. You cannot decide about your own
            account, packages and runs, nor refuse an appeal against your own decision.
            {identity.isAdmin && (
              <>
                {" "}
                <a href="/moderation/log">Log of the whole hub</a> ·{" "}
                <a href="/moderation/quotas">Storage quotas</a>
              </>
            )}
          </p>
          <h2>Appeals</h2>
          <List
            empty="No appeal is open."
            items={appeals.map(({ id, kind, target_kind, subject, since }) => ({
              key: id,
              title: actTitle({ kind, subject }),
              href: moderationPath({ kind: target_kind, name: subject }),
              note: since && <DateTime date={since} />,
            }))}
          />
          <h2>Reports</h2>
          <List
            empty="No report is open."
            items={reports.map(({ kind, subject, count, reasons, since }) => ({
              key: `${kind} ${subject}`,
              title: `${kind} ${subject}`,
              href: moderationPath({ kind, name: subject }),
              note: (
                <>
                  {count === 1 ? "1 report" : `${count} reports`}: {reasons.join(", ")}, since{" "}
                  <DateTime date={since} />
                </>
              ),
            }))}
          />
          <h2>Decisions</h2>
          <ActList acts={acts} />
        </>
      ),
    });
  });

  app.get("/moderation/log", async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    if (!visitor.session.user.isAdmin)
      throw forbidden("Only administrators of this hub read the log of the whole hub.");
    const log = await readLog(database, {}, beforeOf(request));
    return sendPage(reply, visitor, {
      title: "Log",
      width: "wide",
      children: <EventLog path="/moderation/log" log={log} />,
    });
  });
}

/** The path of the page on which a moderator decides about a target. */
export function moderationPath({ kind, name }: TargetName): string {
  return `/moderation/target?${new URLSearchParams({ kind, name }).toString()}`;
}

/** Acts with their moderators, newest first. */
export function ActList({ acts }: { readonly acts: readonly DecidedAct[] }): ReactNode {
  return (
    <List
      empty="There are no decisions."
      items={acts.map((act) => ({
        key: act.id,
        title: actTitle(act),
        href: moderationPath({ kind: act.target_kind, name: act.subject }),
        note: (
          <>
            {stateOf(act)}, reason: {act.reason}, by {act.moderator ?? "a deleted account"},{" "}
            <DateTime date={act.created_at} />
          </>
        ),
      }))}
    />
  );
}

interface Item {
  readonly key: string;
  readonly title: string;
  readonly href: string;
  readonly note: ReactNode;
}

function List({
  empty,
  items,
}: {
  readonly empty: string;
  readonly items: readonly Item[];
}): ReactNode {
  if (items.length === 0) return <p>{empty}</p>;
  return (
    <ul className="list">
      {items.map(({ key, title, href, note }) => (
        <li key={key}>
          <Entry title={title} href={href}>
            {note}
          </Entry>
        </li>
      ))}
    </ul>
  );
}
