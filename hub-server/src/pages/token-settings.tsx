import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import {
  listTokens,
  revokeTokens,
  type Token,
  tokenKey,
  tokensByKey,
} from "../identity/tokens/tokens.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { fieldsOf } from "./fields.ts";
import { Form } from "./form.tsx";
import { Moment } from "./moment.tsx";
import { type Done, sendSettings } from "./settings.tsx";
import { type SignedIn, signedIn, signedInForm } from "./signed-in.ts";

const at = "/settings/tokens";
const most = 500;
const notices: Readonly<Record<string, string>> = {
  revoked: "The token is revoked. Whatever used it is refused from now on.",
};

/** The tokens of a user: what each may do, and how to end it. */
export function tokenSettings(app: FastifyInstance, hub: Hub): void {
  app.get<Done>(at, async (request, reply) => {
    const visitor = await signedIn(hub, request, reply);
    const userId = visitor.session.user.id;
    const now = hub.clock();
    const { tokens } = await listTokens(hub.database, { userId, now, offset: 0, limit: most });
    const notice = notices[request.query.done ?? ""];
    return sendSettings(reply, visitor, {
      at,
      notice,
      children: <Tokens {...{ visitor, tokens }} />,
    });
  });

  app.post("/settings/tokens/revoke", async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    const { key } = fieldsOf(request, "key");
    const userId = visitor.session.user.id;
    const found = await tokensByKey(hub.database, { userId, key });
    const ids = found.filter((token) => tokenKey(token) === key).map(({ id }) => id);
    await revokeTokens(hub.database, { ids, now: hub.clock() });
    return reply.redirect(`${at}?done=revoked`, 303);
  });
}

function Tokens({
  visitor,
  tokens,
}: {
  readonly visitor: SignedIn;
  readonly tokens: readonly Token[];
}): ReactNode {
  return (
    <>
      <p className="quiet">
        Command lines and machines that act as you. Make another with <code>npm login</code>,{" "}
        <code>envs login</code> or <code>npm token create</code>.
      </p>
      {tokens.length === 0 ? (
        <p>You have no tokens.</p>
      ) : (
        <ul className="list">
          {tokens.map((token) => (
            <li key={token.id}>
              <div className="what">
                <strong>{token.name || "Without a name"}</strong>
                <code className="small">{token.preview}</code>
                <span className="quiet small">
                  {limitsOf(token)}. Made <Moment at={token.created_at} />
                  {token.last_used_at !== null && (
                    <>
                      , last used <Moment at={token.last_used_at} />
                    </>
                  )}
                  {token.expires_at !== null && (
                    <>
                      , ends <Moment at={token.expires_at} />
                    </>
                  )}
                  .
                </span>
              </div>
              <Form action="/settings/tokens/revoke" visitor={visitor}>
                <input type="hidden" name="key" value={tokenKey(token)} />
                <button className="danger" aria-label={`Revoke ${token.name || token.preview}`}>
                  Revoke
                </button>
              </Form>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function limitsOf(token: Token): string {
  const { packages, scopes, cidr_whitelist } = token;
  const reach = [...(packages ?? []), ...(scopes ?? []).map((scope) => `@${scope}/*`)];
  return [
    token.readonly ? "Reads" : "Reads and writes",
    packages === null && scopes === null ? "everything of yours" : reach.join(", ") || "nothing",
    ...(token.bypass_2fa ? ["without the second factor"] : []),
    ...(cidr_whitelist.length > 0 ? [`from ${cidr_whitelist.join(", ")}`] : []),
  ].join(" ");
}
