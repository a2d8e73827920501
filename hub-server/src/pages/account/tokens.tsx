import type { ReactNode } from "react";

import { type Token, tokenKey } from "../../identity/tokens/tokens.ts";
import { DateTime } from "../layout/elements.tsx";
import { Form } from "../layout/form.tsx";

/** The tokens of a user, each with a form that revokes it. */
export function Tokens({ tokens }: { readonly tokens: readonly Token[] }): ReactNode {
  return (
    <>
      <p className="quiet">
        Tokens let command-line tools and CI act as you. <code>envs hub login</code> and{" "}
        <code>npm login</code> create one for this machine by themselves.
      </p>
      {tokens.length === 0 ? (
        <div className="empty">
          <p>You have no tokens.</p>
          <p>
            Run <code>envs hub login</code>, or create a token below for CI.
          </p>
        </div>
      ) : (
        <ul className="list" aria-label="Your tokens">
          {tokens.map((token) => (
            <li key={token.id}>
              <div className="what">
                <strong>{token.name || "Unnamed token"}</strong>
                <code className="small">{token.preview}</code>
                <span className="quiet small">
                  {describePermissions(token)}. Created on <DateTime date={token.created_at} />
                  {token.last_used_at !== null && (
                    <>
                      , last used on <DateTime date={token.last_used_at} />
                    </>
                  )}
                  {token.expires_at !== null && (
                    <>
                      , expires on <DateTime date={token.expires_at} />
                    </>
                  )}
                  .
                </span>
              </div>
              <Form action="/settings/tokens/revoke">
                <input type="hidden" name="key" value={tokenKey(token)} />
                <button
                  className="danger small"
                  aria-label={`Revoke ${token.name || token.preview}`}
                >
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

function describePermissions(token: Token): string {
  const { packages, scopes, cidr_whitelist } = token;
  const targets = [...(packages ?? []), ...(scopes ?? []).map((scope) => `@${scope}/*`)];
  return [
    token.readonly ? "Can read" : "Can read and write",
    packages === null && scopes === null
      ? "all your packages"
      : targets.join(", ") || "no packages",
    ...(token.bypass_2fa ? ["without the second factor"] : []),
    ...(cidr_whitelist.length > 0 ? [`from ${cidr_whitelist.join(", ")}`] : []),
  ].join(" ");
}
