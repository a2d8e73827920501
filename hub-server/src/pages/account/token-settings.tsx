import type { FastifyInstance, FastifyReply } from "fastify";

import { requireIdentity } from "../../identity/request/identity.ts";
import { requireManager } from "../../identity/request/manager.ts";
import {
  requireConfirmed,
  requireOneTimePassword,
} from "../../identity/second-factor/second-factor.ts";
import {
  createUserToken,
  listTokens,
  revokeTokens,
  tokenKey,
  tokensByKey,
} from "../../identity/tokens/tokens.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formPage } from "../layout/form-page.ts";
import type { Feedback } from "../layout/handle-change.tsx";
import { formFields, type SignedInVisitor } from "../layout/require-session.ts";
import { CreatedToken, NewToken } from "./new-token.tsx";
import { sendSettings } from "./settings.tsx";
import { emptyToken, requestedByForm, tokenFields } from "./token-form.ts";
import { Tokens } from "./tokens.tsx";

const section = "/settings/tokens";
const maxTokens = 500;

/** Registers the page that creates, lists and revokes the tokens of a user. */
export function tokenSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage(app, hub, {
    path: section,
    notices: { revoked: "Token revoked. The hub rejects requests with it." },
    show,
  });

  addForm("/create", async (visitor, _, reply) => {
    const now = hub.clock();
    const options = requestedByForm(tokenFields(visitor), now);
    const { userId } = await requireOwner(visitor);
    const { secret } = await createUserToken(hub, { ...options, userId, now });
    return await show(visitor, reply, { secret });
  });

  addForm("/revoke", async ({ request, session }) => {
    const { key } = formFields(request, "key");
    const userId = session.user.id;
    const candidates = await tokensByKey(hub.database, { userId, key });
    const ids = candidates.filter((token) => tokenKey(token) === key).map(({ id }) => id);
    await revokeTokens(hub.database, { ids, now: hub.clock() });
    return "revoked";
  });

  /** Requires a confirmation, so that a browser left open cannot create tokens. */
  async function requireOwner(visitor: SignedInVisitor) {
    const { request } = visitor;
    const identity = await requireManager(hub, request);
    if (identity.hasSecondFactor) await requireOneTimePassword(hub, request, identity);
    requireConfirmed(visitor);
    return identity;
  }

  async function show(
    visitor: SignedInVisitor,
    reply: FastifyReply,
    { secret, ...feedback }: Feedback & { readonly secret?: string },
  ): Promise<FastifyReply> {
    const { userId } = await requireIdentity(hub, visitor.request);
    const now = hub.clock();
    const values = secret === undefined ? tokenFields(visitor) : emptyToken;
    const { tokens } = await listTokens(hub.database, { userId, now, offset: 0, limit: maxTokens });
    const origin = originOf(hub.settings, visitor.request);
    return sendSettings(reply, visitor, {
      section,
      ...feedback,
      children: (
        <>
          {secret !== undefined && <CreatedToken {...{ secret, origin }} />}
          <Tokens tokens={tokens} />
          <h2>Create a token</h2>
          <NewToken {...{ visitor, values }} />
        </>
      ),
    });
  }
}
