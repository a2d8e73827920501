import { sql } from "kysely";

import { administers } from "../access/permissions/permission-query.ts";
import type { Identity } from "../identity/request/identity.ts";
import type { Row } from "../platform/database/tables.ts";
import { HubError, notFound } from "../platform/errors/hub-error.ts";
import { change, type Hub } from "../platform/hub/hub.ts";
import { decide, end, rejectEnded, requireAct } from "./act.ts";
import { notNeutral } from "./moderator.ts";
import { requireText } from "./reasons.ts";

/**
 * Returns an act for its owner: an administrator of the account that owns the target. A suspended user cannot log in, so
 * a client that knows the id of a suspension, which only the login reveals, may read it and appeal.
 */
export async function actForOwner(
  { database }: Hub,
  identity: Identity | undefined,
  id: string,
): Promise<Row<"moderation_acts">> {
  const act = await requireAct(database, id);
  if (act.kind === "suspension") return act;
  if (identity !== undefined && act.owner_id !== null) {
    const isOwner = administers({ ...identity, isAdmin: false }, sql`${act.owner_id}::bigint`);
    const row = await database.selectNoFrom(isOwner.as("isOwner")).executeTakeFirst();
    if (row?.isOwner === true) return act;
  }
  throw notFound("This decision");
}

/** Appeals against an act, once. */
export async function appeal(
  hub: Hub,
  identity: Identity | undefined,
  { id, text }: { readonly id: string; readonly text: string },
): Promise<void> {
  const { subject } = await actForOwner(hub, identity, id);
  const reasoned = requireText(text, "why the decision is wrong");
  await change(hub, async ({ database, now }) => {
    rejectEnded(await requireAct(database, id));
    const row = await database
      .updateTable("moderation_acts")
      .set({ appeal: reasoned, appealed_at: now })
      .where("id", "=", id)
      .where("appeal", "is", null)
      .returning("id")
      .executeTakeFirst();
    if (row === undefined)
      throw new HubError("appeal-exists", {
        message: `There is an appeal about ${subject} already. Each decision has one appeal, and its answer is final.`,
      });
  });
}

/** Ends an act, or refuses the appeal against it. The moderator who acted may not refuse. */
export async function decideAct(
  hub: Hub,
  identity: Identity,
  {
    id,
    isGranted,
    answer,
  }: { readonly id: string; readonly isGranted: boolean; readonly answer: string },
): Promise<void> {
  const { target_kind: kind, subject: name } = await requireAct(hub.database, id);
  await decide(hub, identity, { kind, name }, async (change) => {
    const { database } = change;
    const act = await requireAct(database, id);
    rejectEnded(act);
    const isOpen = act.appeal !== null && act.appeal_outcome === null;
    if (!isGranted && !isOpen)
      throw new HubError("act-ended", {
        message: `No appeal about ${name} is open. Reload the page.`,
      });
    if (!isGranted && act.moderator_id === identity.userId)
      throw notNeutral(
        `${identity.name} made the decision about ${name}, so another moderator must answer the appeal.`,
      );
    if (isOpen)
      await database
        .updateTable("moderation_acts")
        .set({
          appeal_outcome: isGranted ? "granted" : "refused",
          appeal_answer: isGranted
            ? answer.trim().slice(0, 4000)
            : requireText(answer, "the answer to the owner"),
          appeal_decided_by: identity.userId,
        })
        .where("id", "=", id)
        .where("appeal_outcome", "is", null)
        .execute();
    if (isGranted) await end(change, { id, endedBy: identity.userId });
  });
}
