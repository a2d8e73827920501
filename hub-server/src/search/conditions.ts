import { type Expression, expressionBuilder, sql, type SqlBool } from "kysely";

import { readableBy } from "../access/permissions/permission-query.ts";
import type { Identity } from "../identity/request/identity.ts";
import type { Tables } from "../platform/database/tables.ts";
import type { Trait, Wanted } from "./wanted.ts";

const entry = expressionBuilder<Tables, "search_entries">();

/** What an entry must meet besides having the words: first of all, that whoever asks may read the package. */
export function conditionsOf(wanted: Wanted): Expression<SqlBool> {
  const { kinds, owners, scopes, maintainers, keywords, tags, tools, scores, is = {} } = wanted;
  return entry.and([
    visibleTo(wanted.identity),
    ...Object.entries(is).map(([trait, isSo]) =>
      isSo ? traitOf[trait as Trait] : entry.not(traitOf[trait as Trait]),
    ),
    ...given(kinds, (values) => entry("kind", "=", entry.fn.any(entry.val(values)))),
    ...given(owners, (values) => entry("owner", "=", entry.fn.any(entry.val(values)))),
    ...given(scopes, (values) => sql<boolean>`split_part(name, '/', 1) = any(${prefixed(values)})`),
    ...given(maintainers, maintainedBy),
    ...given(keywords, (values) => sql<boolean>`(keywords && ${values} or tags && ${values})`),
    ...given(tags, (values) => sql<boolean>`tags @> ${values}`),
    ...given(tools, (values) => sql<boolean>`tools @> ${values}`),
    ...given(scores, (values) => sql<boolean>`scores @> ${values}`),
  ]);
}

function given(
  values: readonly string[] | undefined,
  condition: (values: string[]) => Expression<SqlBool>,
): readonly Expression<SqlBool>[] {
  return values === undefined ? [] : [condition([...values])];
}

const traitOf: Readonly<Record<Trait, Expression<SqlBool>>> = {
  environment: entry("is_environment", "=", true),
  deprecated: entry("deprecated", "is not", null),
  archived: entry("is_archived", "=", true),
  unstable: entry.exists(
    entry
      .selectFrom("versions")
      .whereRef("versions.id", "=", "search_entries.version_id")
      .where(sql<boolean>`versions.version ~ '^0\.|-'`)
      .select("versions.id"),
  ),
};

function visibleTo(identity: Identity | undefined): Expression<SqlBool> {
  const isPublic = entry("is_public", "=", true);
  if (identity === undefined) return isPublic;
  const readable = entry
    .selectFrom("packages")
    .where("packages.access", "=", "restricted")
    .where(readableBy(identity))
    .select("packages.id");
  return entry.or([isPublic, entry("search_entries.package_id", "in", readable)]);
}

function maintainedBy(names: string[]): Expression<SqlBool> {
  return entry.exists(
    entry
      .selectFrom("package_users")
      .innerJoin("accounts", "accounts.id", "package_users.user_id")
      .whereRef("package_users.package_id", "=", "search_entries.package_id")
      .where("package_users.is_maintainer", "=", true)
      .where("accounts.name", "in", names)
      .select("accounts.id"),
  );
}

function prefixed(scopes: readonly string[]): readonly string[] {
  return scopes.map((scope) => (scope.startsWith("@") ? scope : `@${scope}`));
}
