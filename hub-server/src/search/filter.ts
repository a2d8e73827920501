import { type Expression, expressionBuilder, sql, type SqlBool } from "kysely";

import { readableBy } from "../access/permissions/permission-query.ts";
import type { Identity } from "../identity/request/identity.ts";
import type { Tables } from "../platform/database/tables.ts";
import type { SearchQuery, Trait } from "./search-query.ts";
import { runsOf } from "./summaries.ts";

const entry = expressionBuilder<Tables, "search_entries">();

/** The SQL condition of everything but the words, including that the caller can read the package. */
export function filterOf(query: SearchQuery): Expression<SqlBool> {
  const { kinds, owners, scopes, maintainers, keywords, tags, tools, scores } = query;
  const { needs, protocols, licenses, traits = {} } = query;
  return entry.and([
    visibleTo(query.identity),
    ...Object.entries(traits).map(([trait, isRequired]) =>
      isRequired ? traitConditions[trait as Trait] : entry.not(traitConditions[trait as Trait]),
    ),
    ...ifDefined(kinds, (values) => entry("kind", "=", entry.fn.any(entry.val(values)))),
    ...ifDefined(owners, (values) => entry("owner", "=", entry.fn.any(entry.val(values)))),
    ...ifDefined(
      scopes,
      (values) => sql<boolean>`split_part(name, '/', 1) = any(${withAtSign(values)})`,
    ),
    ...ifDefined(maintainers, maintainedBy),
    ...ifDefined(keywords, (values) => sql<boolean>`(keywords && ${values} or tags && ${values})`),
    ...ifDefined(tags, (values) => sql<boolean>`tags @> ${values}`),
    ...ifDefined(tools, (values) => sql<boolean>`tools @> ${values}`),
    ...ifDefined(scores, (values) => sql<boolean>`scores @> ${values}`),
    ...ifDefined(needs, (values) => sql<boolean>`needs @> ${values}`),
    ...ifDefined(protocols, (values) => sql<boolean>`protocols && ${values}`),
    ...ifDefined(licenses, (values) => entry("license", "=", entry.fn.any(entry.val(values)))),
  ]);
}

function ifDefined(
  values: readonly string[] | undefined,
  condition: (values: string[]) => Expression<SqlBool>,
): readonly Expression<SqlBool>[] {
  return values === undefined ? [] : [condition([...values])];
}

const traitConditions: Readonly<Record<Trait, Expression<SqlBool>>> = {
  environment: entry("is_environment", "=", true),
  deprecated: entry("deprecated", "is not", null),
  archived: entry("is_archived", "=", true),
  evaluated: sql<boolean>`${runsOf("evaluation")} > 0`,
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

function withAtSign(scopes: readonly string[]): readonly string[] {
  return scopes.map((scope) => (scope.startsWith("@") ? scope : `@${scope}`));
}
