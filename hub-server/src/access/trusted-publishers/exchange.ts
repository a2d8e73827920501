import type { Identity } from "../../identity/request/identity.ts";
import { createToken } from "../../identity/tokens/tokens.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { type Change, change, type Hub } from "../../platform/hub/hub.ts";
import { type PublishingRight, publishingRight } from "../permissions/publishing-right.ts";
import { describeBuild, matchesBuild, pinnedClaims } from "./claims.ts";
import { type TrustedPublisher, trustedPublisher } from "./configuration.ts";
import type { IdToken } from "./id-token.ts";
import { eventTarget } from "./store.ts";

const minute = 60_000;

/** Exchanges a build's id token for a token of the hub, which is limited to one package and valid for 15 minutes. */
export async function exchangeIdToken(hub: Hub, name: string, idToken: IdToken): Promise<string> {
  return await change(hub, async (change) => {
    const publisher = await requireMatchingPublisher(change, name, idToken);
    const identity = await creatorIdentity(change, name, publisher);
    const right = await creatorRight(change, name, publisher, identity);
    await useIdToken(change, name, idToken);
    await change.database
      .updateTable("trusted_publishers")
      .where("id", "=", publisher.id)
      .set({ pinned_claims: JSON.stringify(pinnedClaims(publisher.type, idToken.claims)) })
      .execute();
    const { secret } = await createToken(change.database, {
      userId: publisher.creatorId,
      name: `Trusted publisher of ${name}`,
      bypassesSecondFactor: true,
      packages: [name],
      expiresAt: new Date(change.now.getTime() + 15 * minute),
      trustedPublisherId: publisher.id,
      now: change.now,
    });
    change.event({
      type: "trust.used",
      actor: identity.name,
      detail: { id: publisher.id, type: publisher.type, sub: idToken.claims.sub },
      ...eventTarget({ name, packageId: right.existingPackage?.id, ownerId: right.ownerId }),
    });
    return secret;
  });
}

/**
 * Returns the package's trusted publisher that matches a build. The error is the same for a missing package, because a
 * different one would reveal private packages.
 */
async function requireMatchingPublisher(
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
  const pins = pinnedClaims(type, claims);
  const matches = rows
    .map(trustedPublisher)
    .filter((publisher) => matchesBuild(publisher, { claims, host }))
    .filter((publisher) =>
      Object.entries(publisher.pinnedClaims ?? pins).every(
        ([claim, value]) => pins[claim] === value,
      ),
    );
  const canPublish = matches.find(({ permissions }) => permissions.includes("createPackage"));
  const publisher = canPublish ?? matches[0];
  if (publisher !== undefined) return publisher;
  throw new HubError("not-trusted", {
    message: `${name} does not have a trusted publisher that matches this build (${describeBuild(type, claims)}). Compare: npm trust list ${name}`,
  });
}

/** A build acts as the user who created the trusted publisher. */
async function creatorIdentity(
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
  if (user.disabled_at !== null) throw creatorLostRight(name, user.name);
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

async function creatorRight(
  { database }: Change,
  name: string,
  { permissions }: TrustedPublisher,
  identity: Identity,
): Promise<PublishingRight> {
  const permission = permissions.includes("createPackage") ? "publish" : "stage";
  try {
    return await publishingRight(database, { identity, name, permission });
  } catch (error) {
    if (error instanceof HubError) throw creatorLostRight(name, identity.name);
    throw error;
  }
}

function creatorLostRight(name: string, creator: string): HubError {
  return forbidden(
    `The trusted publisher acts for ${creator}, who may not publish ${name} anymore. Ask a user who may to create it again: npm trust --help`,
  );
}

/** Rejects the second exchange of an id token. Rows stay for a minute after the token's expiry. */
async function useIdToken(
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
    message: `This id token was already exchanged for ${name}. Request a new one. If your build did not make the first exchange, check the build for leaks.`,
  });
}
