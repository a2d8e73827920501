import { type RawBuilder, sql } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** A package's name, and its npm scope without the `@`; the scope is empty for a name without one. */
interface ScopedName {
  readonly name: string;
  readonly scope: string;
}

/** Whether a token's scope includes a package, as an SQL condition. A token without limits includes all packages. */
export function inTokenScope(
  { token: { packages, scopes } }: Identity,
  { name, scope }: { readonly name: RawBuilder<unknown>; readonly scope: RawBuilder<unknown> },
): RawBuilder<boolean> {
  if (packages === null && scopes === null) return sql`true`;
  return sql`(${name} = any(${[...(packages ?? [])]}::text[]) or ${scope} = any(${[...(scopes ?? [])]}::text[]))`;
}

/** Rejects a package outside the token's scope. The error does not reveal whether the package exists. */
export async function requireTokenScope(
  database: Database,
  identity: Identity,
  { name, scope }: ScopedName,
): Promise<void> {
  const isInScope = inTokenScope(identity, {
    name: sql`${name}::text`,
    scope: sql`${scope}::text`,
  });
  const row = await database.selectNoFrom(isInScope.as("isInScope")).executeTakeFirst();
  if (row?.isInScope === true) return;
  throw new HubError("token-out-of-reach", {
    message: `This token's scope does not include ${name}. Create a token for it: npm token create`,
  });
}
