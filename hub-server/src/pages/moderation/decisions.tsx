import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { appealPath } from "../../identity/credentials/suspension.ts";
import { requireIdentity } from "../../identity/request/identity.ts";
import { isModerator } from "../../moderation/moderator.ts";
import { actsOfOwner } from "../../moderation/queue.ts";
import { reportsOf } from "../../moderation/report.ts";
import { targetPath } from "../../moderation/target.ts";
import type { Row } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { sendSettings } from "../account/settings.tsx";
import { DateTime, Entry } from "../layout/elements.tsx";
import { requireSession } from "../layout/require-session.ts";

/** The path of a user's reports, and of the decisions that concern the user. */
export const decisionsPath = "/settings/decisions";

/** Registers the page of a user's reports, and of the moderators' decisions about what the user owns. */
export function decisionsPage(app: FastifyInstance, hub: Hub): void {
  app.get(decisionsPath, async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const identity = await requireIdentity(hub, request);
    const reports = await reportsOf(hub.database, identity.userId);
    const acts = await actsOfOwner(hub.database, identity);
    const { done } = request.query as { readonly done?: string };
    return sendSettings(reply, visitor, {
      section: decisionsPath,
      notice: done === "sent" ? "Report sent. A moderator will decide." : undefined,
      children: (
        <>
          {(await isModerator(hub.database, identity)) && (
            <p>
              <a href="/moderation">Open the moderators’ queue</a>
            </p>
          )}
          <h2>Decisions about your account and packages</h2>
          <Acts acts={acts} />
          <h2>Your reports</h2>
          <Reports reports={reports} />
        </>
      ),
    });
  });
}

function Acts({ acts }: { readonly acts: readonly Row<"moderation_acts">[] }): ReactNode {
  if (acts.length === 0) return <p>Moderators have decided nothing about you or your packages.</p>;
  return (
    <ul className="list">
      {acts.map((act) => (
        <li key={act.id}>
          <Entry title={actTitle(act)} href={appealPath(act.id)}>
            {stateOf(act)}, reason: {act.reason}, <DateTime date={act.created_at} />
          </Entry>
        </li>
      ))}
    </ul>
  );
}

/** The act and its target, as a title. */
export function actTitle({
  kind,
  subject,
}: Pick<Row<"moderation_acts">, "kind" | "subject">): string {
  return `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} of ${subject}`;
}

/** Whether an act is in force, and the state of its appeal, in words. */
export function stateOf(
  act: Pick<Row<"moderation_acts">, "ended_at" | "appeal" | "appeal_outcome">,
): string {
  if (act.ended_at !== null) return "ended";
  if (act.appeal_outcome === "refused") return "in force, appeal refused";
  return act.appeal === null ? "in force" : "in force, appeal open";
}

function Reports({
  reports,
}: {
  readonly reports: Awaited<ReturnType<typeof reportsOf>>;
}): ReactNode {
  if (reports.length === 0)
    return (
      <p>
        You have reported nothing. The pages of packages, runs and users have a link for a report.
      </p>
    );
  return (
    <ul className="list">
      {reports.map(({ id, target_kind: kind, subject, reason, created_at, outcome }) => (
        <li key={id}>
          <Entry title={subject} href={targetPath({ kind, subject })}>
            {outcome === null ? "open" : outcome === "acted" ? "a moderator acted" : "dismissed"},
            reason: {reason}, <DateTime date={created_at} />
          </Entry>
        </li>
      ))}
    </ul>
  );
}
