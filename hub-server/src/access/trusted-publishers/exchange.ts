import type { Identity } from "../../identity/request/identity.ts";
import { createToken } from "../../identity/tokens/tokens.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { type Change, change } from "../../platform/hub/change.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { type PublishingRight, publishingRight } from "../permissions/publishing-right.ts";
import { described, isOf, pinsOf } from "./claims.ts";
import { type TrustedPublisher, trustedPublisher } from "./configuration.ts";
import type { IdToken } from "./id-token.ts";
import { toldOf } from "./store.ts";

const minute = 60_000;

/** Gives a build that a package trusts a token for that package alone, for a quarter of an hour. */
export async function exchange(hub: Hub, name: string, idToken: IdToken): Promise<string> {
  return await change(hub, async (change) => {
    const trusted = await trustedOf(change, name, idToken);
    const identity = await creatorOf(change, name, trusted);
    const right = await rightOf(change, { name, trusted, identity });
    await useOnce(change, name, idToken);
    await change.database
      .updateTable("trusted_publishers")
      .where("id", "=", trusted.id)
      .set({ pinned_claims: JSON.stringify(pinsOf(trusted, idToken.claims)) })
      .execute();
    const { secret } = await createToken(change.database, {
      userId: trusted.creatorId,
      name: `Trusted publisher of ${name}`,
      bypassesSecondFactor: true,
      packages: [name],
      expiresAt: new Date(change.now.getTime() + 15 * minute),
      trustedPublisherId: trusted.id,
      now: change.now,
    });
    change.event({
      type: "trust.used",
      actor: identity.name,
      detail: { id: trusted.id, type: trusted.type, sub: idToken.claims.sub },
      ...toldOf({ name, packageId: right.existingPackage?.id, ownerId: right.ownerId }),
    });
    return secret;
  });
}

/** One answer for a package that is not there, that trusts nobody, and that trusts others: it may be private. */
async function trustedOf(
  { database }: Change,
  name: string,
  { type, claims, host }: IdToken,
): Promise<TrustedPublisher> {
  const rows = await database
    .selectFrom("trusted_publishers")
    .where("name", "=", name)
    .where("type", "=", type)
    .orderBy("created_at")
    .orderBy("id")
    .selectAll()
    .forUpdate()
    .execute();
  const pins = pinsOf({ type }, claims);
  const matching = rows
    .map(trustedPublisher)
    .filter((each) => isOf(each, { claims, host }))
    .filter(({ pinnedClaims }) =>
      Object.entries(pinnedClaims ?? pins).every(([claim, value]) => pins[claim] === value),
    );
  const found = matching.find(({ permissions }) => permissions.includes("createPackage"));
  if (found !== undefined) return found;
  if (matching[0] !== undefined) return matching[0];
  throw new HubError("not-trusted", {
    message: `${name} trusts no build with ${described({ type }, claims)}. Compare: npm trust list ${name}`,
  });
}

/** A build acts for the person who trusted it, and for no longer than that person may publish. */
async function creatorOf(
  { database }: Change,
  name: string,
  { id, creatorId, permissions }: TrustedPublisher,
): Promise<Identity> {
  const user = await database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("users.account_id", "=", creatorId)
    .select(["accounts.name", "users.is_admin", "users.disabled_at"])
    .executeTakeFirstOrThrow();
  if (user.disabled_at !== null) throw withdrawn({ name, creator: user.name });
  return {
    userId: creatorId,
    name: user.name,
    isAdmin: user.is_admin,
    hasSecondFactor: false,
    token: {
      id,
      purpose: "trusted-publisher",
      readonly: false,
      bypassesSecondFactor: true,
      packages: [name],
      scopes: null,
      permissions,
    },
  };
}

async function rightOf(
  { database }: Change,
  {
    name,
    trusted,
    identity,
  }: {
    readonly name: string;
    readonly trusted: TrustedPublisher;
    readonly identity: Identity;
  },
): Promise<PublishingRight> {
  const permission = trusted.permissions.includes("createPackage") ? "publish" : "stage";
  try {
    return await publishingRight(database, { identity, name, permission });
  } catch (error) {
    if (error instanceof HubError) throw withdrawn({ name, creator: identity.name });
    throw error;
  }
}

function withdrawn({
  name,
  creator,
}: {
  readonly name: string;
  readonly creator: string;
}): HubError {
  return forbidden(
    `${creator}, who trusted this build, may not publish ${name} any longer. Let somebody who may trust it anew: npm trust --help`,
  );
}

async function useOnce(
  { database }: Change,
  name: string,
  { claims: { iss }, jti, expiresAt }: IdToken,
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await database
    .insertInto("used_id_tokens")
    .values({ issuer: iss, jti, name, expires_at: new Date(expiresAt.getTime() + minute) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 0n) return;
  throw new HubError("id-token-used", {
    message: `This id token has been exchanged for ${name} before. Ask for a new one; if you have not, somebody else holds it.`,
  });
}
