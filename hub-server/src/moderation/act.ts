import { randomUUID } from "node:crypto";

import type { EventType } from "@envs/hub-client";

import type { Identity } from "../identity/request/identity.ts";
import type { ActKind, TargetKind } from "../platform/database/moderation-tables.ts";
import type { Database, Row } from "../platform/database/tables.ts";
import { HubError, notFound } from "../platform/errors/hub-error.ts";
import { change, type Change, type Hub } from "../platform/hub/hub.ts";
import { apply, undo } from "./apply.ts";
import { requireModerator, requireNeutral } from "./moderator.ts";
import { notifyOwners } from "./notify-owners.ts";
import { requireReason, requireText } from "./reasons.ts";
import { requireTarget, type Target, type TargetName } from "./target.ts";

/** A moderator's decision about a target. */
export interface NewAct extends TargetName {
  readonly act: string;
  readonly reason: string;
  /** Only for the owner and moderators. */
  readonly explanation: string;
  /** The days of a suspension; undefined for one without end. */
  readonly days?: number | undefined;
}

type Act = Row<"moderation_acts">;

const actsOf: Readonly<Record<TargetKind, readonly ActKind[]>> = {
  package: ["quarantine", "takedown"],
  version: ["takedown"],
  run: ["takedown"],
  user: ["suspension"],
};

/** Runs `work` in a change, after it has checked that the identity may decide about the target, which it locks. */
export async function decide<Result>(
  hub: Hub,
  identity: Identity,
  name: TargetName,
  work: (change: Change, target: Target) => Promise<Result>,
): Promise<Result> {
  await requireModerator(hub.database, identity);
  return await change(hub, async (change) => {
    const target = await requireTarget(change.database, identity, name);
    await requireNeutral(change.database, identity, target);
    return await work(change, target);
  });
}

/**
 * Quarantines, takes down or suspends a target, and closes its reports. A target has one act at a time: the same act again has
 * no effect, also by two moderators at once, and another one replaces it.
 */
export async function act(
  hub: Hub,
  identity: Identity,
  { act: text, reason: reasonText, explanation, days, ...name }: NewAct,
): Promise<void> {
  const reason = requireReason(reasonText);
  const forOwner = requireText(explanation, "the explanation for the owner");
  await decide(hub, identity, name, async (change, target) => {
    const kind = actsOf[target.kind].find((each) => each === text);
    if (kind === undefined) throw notFound(`The act ${text.slice(0, 50)} on a ${target.kind}`);
    const { database, now, event } = change;
    const columns = { target_kind: target.kind, target_id: target.id };
    const before = await activeAct(change, columns);
    await closeReports(change, identity, target, "acted");
    if (before?.kind === kind) return;
    if (before !== undefined)
      await database
        .updateTable("moderation_acts")
        .set({ ended_at: now, ended_by: identity.userId })
        .where("id", "=", before.id)
        .execute();
    const row = await database
      .insertInto("moderation_acts")
      .values({
        ...columns,
        id: randomUUID(),
        kind,
        subject: target.subject,
        owner_id: target.ownerId,
        reason,
        explanation: forOwner,
        moderator_id: identity.userId,
        created_at: now,
        until: days === undefined ? null : new Date(now.getTime() + days * 24 * 3_600_000),
      })
      // A concurrent moderator has just made the same act.
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return;
    await apply(change, { ...columns, kind });
    event(await actEvent(change, row, startEvents[`${target.kind}-${kind}`] ?? "user.suspended"));
    await notifyOwners(database, hub, row);
  });
}

const startEvents: Readonly<Record<string, EventType>> = {
  "package-quarantine": "package.quarantined",
  "package-takedown": "package.taken-down",
  "version-takedown": "version.taken-down",
  "run-takedown": "run.taken-down",
};

const endEvents: Readonly<Record<TargetKind, EventType>> = {
  package: "package.restored",
  version: "version.restored",
  run: "run.restored",
  user: "user.unsuspended",
};

/** The event omits the name of the moderator: owners see that one acted, and administrators read who on the pages of moderation. */
async function actEvent(
  { database }: Change,
  { target_kind: kind, target_id: id, subject, reason, until }: Act,
  type: EventType,
) {
  const event = { type, actor: null, detail: { moderation: true, reason } };
  if (kind === "user") {
    const detail = { ...event.detail, ...(until !== null && { until: until.toISOString() }) };
    return { ...event, detail, subject, organisationId: Number(id) };
  }
  if (kind === "package") return { ...event, subject, packageId: Number(id) };
  const table = kind === "version" ? ("versions" as const) : ("runs" as const);
  const row = await database
    .selectFrom(table)
    .where("id", "=", kind === "version" ? (Number(id) as never) : (id as never))
    .select("package_id")
    .executeTakeFirst();
  return { ...event, subject, packageId: row?.package_id };
}

/** Ends an act and makes its target as it was before. Ending it again has no effect. */
export async function end(
  change: Change,
  { id, endedBy }: { readonly id: string; readonly endedBy: number | null },
): Promise<void> {
  const { database, now, event } = change;
  const row = await database
    .updateTable("moderation_acts")
    .set({ ended_at: now, ended_by: endedBy })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return;
  await undo(change, { ...row, since: row.created_at });
  event(await actEvent(change, row, endEvents[row.target_kind]));
}

async function activeAct(
  { database }: Change,
  { target_kind, target_id }: Pick<Act, "target_kind" | "target_id">,
): Promise<Act | undefined> {
  return await database
    .selectFrom("moderation_acts")
    .where("target_kind", "=", target_kind)
    .where("target_id", "=", target_id)
    .where("ended_at", "is", null)
    .forUpdate()
    .selectAll()
    .executeTakeFirst();
}

/** Dismisses the open reports about a target. */
export async function dismiss(hub: Hub, identity: Identity, name: TargetName): Promise<void> {
  await decide(hub, identity, name, (change, target) =>
    closeReports(change, identity, target, "dismissed"),
  );
}

/** Closes the open reports about a target; those of a version are about its package. */
async function closeReports(
  { database, now }: Change,
  identity: Identity,
  { kind, id, packageId }: Target,
  outcome: "dismissed" | "acted",
): Promise<void> {
  await database
    .updateTable("reports")
    .set({ outcome, decided_at: now, decided_by: identity.userId })
    .where("target_kind", "=", kind === "version" ? "package" : kind)
    .where("target_id", "=", kind === "version" ? String(packageId) : id)
    .where("outcome", "is", null)
    .execute();
}

/** Returns an act; throws if it does not exist. */
export async function requireAct(database: Database, id: string): Promise<Act> {
  const row = /^[0-9a-f-]{36}$/.test(id)
    ? await database
        .selectFrom("moderation_acts")
        .where("id", "=", id)
        .selectAll()
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw notFound("This decision");
  return row;
}

/** Rejects an appeal, or a decision about one, when the act has ended. */
export function rejectEnded({ subject, ended_at }: Act): void {
  if (ended_at === null) return;
  throw new HubError("act-ended", {
    message: `The decision about ${subject} has ended already. Reload the page.`,
  });
}

/** Ends the suspensions whose time has passed. */
export async function endExpired(hub: Hub): Promise<void> {
  const expired = await hub.database
    .selectFrom("moderation_acts")
    .where("ended_at", "is", null)
    .where("until", "<=", hub.clock())
    .select("id")
    .execute();
  for (const { id } of expired) await change(hub, (change) => end(change, { id, endedBy: null }));
}
