import type { EventType } from "@envs/hub-client";
import type { Generated } from "kysely";

import type { Json } from "./json-columns.ts";

/** Signing keys, advisories, events and other state of the hub itself. */
export interface OperationTables {
  signing_keys: {
    keyid: string;
    public_key: string;
    private_key: string;
    created_at: Date;
    expires_at: Date | null;
  };
  advisories: {
    id: Generated<number>;
    package_id: number;
    title: string;
    overview: Generated<string>;
    severity: "info" | "low" | "moderate" | "high" | "critical";
    vulnerable_versions: string;
    patched_versions: string | null;
    cwe: Generated<string[]>;
    created_by: number | null;
    created_at: Date;
    updated_at: Date;
    withdrawn_at: Date | null;
  };
  events: {
    sequence: number;
    at: Date;
    type: EventType;
    actor: string | null;
    subject: string;
    detail: Json<Readonly<Record<string, unknown>>>;
    package_id: number | null;
    organisation_id: number | null;
    previous_hash: string;
    hash: string;
  };
  renderings: { key: string; result: string; rendered_at: Date };
  unrendered_versions: { version_id: number };
  blob_claims: { blob: string; claimed_at: Date };
  secrets: { name: string; value: string };
  attempts: { key: string; points: number; next_at: Date; expires_at: Date };
}
