import { sql } from "kysely";
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres";

import type { Database } from "../../platform/database/tables.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { UpstreamDocument } from "../../upstream/document.ts";
import { abbreviatedType } from "../responses/representation.ts";
import {
  abbreviatedDocument,
  fullDocument,
  latestOf,
  tagsOf,
  versionDocument,
} from "./document.ts";
import { abbreviatedOfUpstream, fullOfUpstream, versionOfUpstream } from "./upstream-documents.ts";

/** A consistent snapshot of a package, from which its documents are built. */
export type PackageSource = NonNullable<Awaited<ReturnType<typeof packageSource>>>;
export type VersionSource = PackageSource["versions"][number];

/** Reads a package in one statement, because it could change between two. */
export async function packageSource(database: Database, packageId: number) {
  return await database
    .selectFrom("packages")
    .where("packages.id", "=", packageId)
    .select(["id", "name", "access", "revision", "archived_at", "created_at", "modified_at"])
    .select((package_) => [
      jsonArrayFrom(
        package_
          .selectFrom("versions")
          .whereRef("versions.package_id", "=", "packages.id")
          .where("unpublished_at", "is", null)
          .orderBy("versions.id")
          .select(["id", "version", "manifest", "shasum", "integrity", "signatures"])
          .select(["file_count", "unpacked_size", "deprecated", "readme_file"])
          .select(["published_at", "yanked_at"])
          .select((version) => [
            jsonObjectFrom(
              version
                .selectFrom("accounts")
                .innerJoin("users", "users.account_id", "accounts.id")
                .whereRef("accounts.id", "=", "versions.published_by")
                .select(["accounts.name", "users.email"]),
            ).as("publisher"),
            version
              .selectFrom("attestations")
              .whereRef("attestations.version_id", "=", "versions.id")
              .select(sql<string[]>`json_agg(predicate_type order by predicate_type)`.as("types"))
              .as("attested"),
          ]),
      ).as("versions"),
      jsonArrayFrom(
        package_
          .selectFrom("dist_tags")
          .innerJoin("versions", "versions.id", "dist_tags.version_id")
          .whereRef("dist_tags.package_id", "=", "packages.id")
          .orderBy("tag")
          .select(["tag", "versions.version"]),
      ).as("tags"),
      jsonArrayFrom(
        package_
          .selectFrom("package_users")
          .innerJoin("accounts", "accounts.id", "package_users.user_id")
          .innerJoin("users", "users.account_id", "package_users.user_id")
          .whereRef("package_users.package_id", "=", "packages.id")
          .where("is_maintainer", "=", true)
          .orderBy("accounts.name")
          .select(["accounts.name", "users.email"]),
      ).as("maintainers"),
      jsonArrayFrom(
        package_
          .selectFrom("stars")
          .innerJoin("accounts", "accounts.id", "stars.user_id")
          .whereRef("stars.package_id", "=", "packages.id")
          .orderBy("accounts.name")
          .select("accounts.name"),
      ).as("stars"),
    ])
    .executeTakeFirst();
}

/** Reads the README of one version, because packuments contain only that of the latest. */
async function readReadme(database: Database, versionId: number): Promise<string> {
  const { readme } = await database
    .selectFrom("versions")
    .where("id", "=", versionId)
    .select("readme")
    .executeTakeFirstOrThrow();
  return readme;
}

/** A form in which the hub serves the data of a package. */
export interface DocumentForm {
  /** Distinguishes the document from the package's other documents in the cache. */
  readonly key: string;
  readonly type: string;
  readonly make: (hub: Hub, source: PackageSource, origin: string) => unknown;
  /** The same for a package of an upstream. */
  readonly ofUpstream: (document: UpstreamDocument, origin: string) => unknown;
}

const json = "application/json";

export const fullForm: DocumentForm = {
  key: "full",
  type: json,
  async make({ database }, source, origin) {
    const latest = latestOf(source);
    const readme = latest === undefined ? "" : await readReadme(database, latest.id);
    return fullDocument(source, { origin, readme });
  },
  ofUpstream: fullOfUpstream,
};

export const abbreviatedForm: DocumentForm = {
  key: "abbreviated",
  type: abbreviatedType,
  make: (_hub, source, origin) => abbreviatedDocument(source, origin),
  ofUpstream: abbreviatedOfUpstream,
};

export const tagsForm: DocumentForm = {
  key: "tags",
  type: json,
  make: (_hub, source) => tagsOf(source),
  ofUpstream: ({ "dist-tags": tags }) => tags,
};

/** The form that contains one version. `selector` is its number or a dist-tag. */
export function versionForm(selector: string): DocumentForm {
  return {
    key: `version ${selector}`,
    type: json,
    make(_hub, source, origin) {
      const document = versionDocument(source, { selector, origin });
      if (document === undefined) throw notFound(`${source.name}@${selector}`);
      return document;
    },
    ofUpstream(document, origin) {
      const version = versionOfUpstream(document, selector, origin);
      if (version === undefined) throw notFound(`${document.name}@${selector}`);
      return version;
    },
  };
}
