import type {
  ColumnType,
  Generated,
  GeneratedAlways,
  Kysely,
  RawBuilder,
  Selectable,
} from "kysely";

import type { AccountTables } from "./account-tables.ts";
import type { EvaluationTables } from "./evaluation-tables.ts";
import type { Attestation, Json, PublishHints } from "./json-columns.ts";
import type { ModerationTables } from "./moderation-tables.ts";
import type { OperationTables } from "./operation-tables.ts";
import type { UpstreamTables } from "./upstream-tables.ts";

type Permission = "read" | "write";

interface Packages {
  id: Generated<number>;
  name: string;
  scope: string;
  owner_id: number;
  similarity_keys: Generated<string[]>;
  access: Generated<"public" | "restricted">;
  requires_2fa: Generated<boolean>;
  allows_bypass_2fa: Generated<boolean>;
  revision: Generated<number>;
  archived_at: Date | null;
  restriction: Generated<"quarantined" | "taken-down" | null>;
  created_at: Date;
  modified_at: Date;
}

interface Versions {
  id: Generated<number>;
  package_id: number;
  version: string;
  manifest: Json<Readonly<Record<string, unknown>>>;
  manifest_bytes: GeneratedAlways<number>;
  readme: Generated<string>;
  readme_file: Generated<string>;
  shasum: string;
  integrity: string;
  blob: string;
  size: number;
  unpacked_size: number;
  file_count: number;
  signatures: Json<readonly { readonly keyid: string; readonly sig: string }[]>;
  deprecated: string | null;
  yanked_at: Date | null;
  unpublished_at: Date | null;
  taken_down_at: Generated<Date | null>;
  published_by: number | null;
  published_at: Date;
}

interface StagedVersions {
  id: string;
  name: string;
  version: string;
  tag: string;
  access: "public" | "restricted" | null;
  blob: string;
  shasum: string;
  size: number;
  attestations: Json<readonly Attestation[]>;
  hints: Json<PublishHints>;
  owner_id: number;
  staged_by: number | null;
  actor_type: Generated<"user" | "trusted-publisher">;
  created_at: Date;
}

interface SearchEntries {
  package_id: number;
  version_id: number;
  name: string;
  owner: string;
  is_public: boolean;
  is_archived: boolean;
  is_environment: boolean;
  deprecated: string | null;
  title: string | null;
  description: string;
  kind: string | null;
  tags: string[];
  keywords: string[];
  tools: string[];
  scores: string[];
  needs: Generated<string[]>;
  protocols: Generated<string[]>;
  license: string | null;
  downloads: Generated<number>;
  stars: Generated<number>;
  versions: Generated<number>;
  published_at: Date;
  words: WordVector;
  text: WordVector;
}

/** A tsvector, which only SQL reads and writes. */
type WordVector = ColumnType<never, RawBuilder<unknown>, RawBuilder<unknown>>;

interface PackageTables {
  packages: Packages;
  package_users: {
    package_id: number;
    user_id: number;
    permission: Permission;
    is_maintainer: Generated<boolean>;
  };
  team_packages: { team_id: number; package_id: number; permission: Permission };
  versions: Versions;
  files: { version_id: number; path: string; size: number; sha256: string };
  dist_tags: { package_id: number; tag: string; version_id: number };
  attestations: { version_id: number; predicate_type: string; bundle: Json<unknown> };
  stars: { package_id: number; user_id: number; created_at: Date };
  /** `day` is `YYYY-MM-DD`, in UTC. */
  downloads: { version_id: number; day: string; count: number };
  staged_versions: StagedVersions;
  trusted_publishers: {
    id: string;
    name: string;
    type: "github" | "gitlab" | "circleci";
    claims: Json<Readonly<Record<string, unknown>>>;
    pinned_claims: Json<Readonly<Record<string, string>>> | null;
    permissions: string[];
    created_by: number;
    created_at: Date;
  };
  used_id_tokens: { issuer: string; jti: string; name: string; expires_at: Date };
  environments: { version_id: number; manifest: Json<unknown> };
  search_entries: SearchEntries;
  search_words: { word: string };
}

/** Every table of the hub, as `migrations/` makes them. */
export interface Tables
  extends
    AccountTables,
    PackageTables,
    EvaluationTables,
    ModerationTables,
    OperationTables,
    UpstreamTables {}

export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;

/** The hub's database. Inside a transaction, query only the transaction: the embedded database has one connection. */
export type Database = Kysely<Tables>;
