import type { Generated } from "kysely";

import type { Json } from "./json-columns.ts";

interface Tokens {
  id: string;
  user_id: number;
  secret_hash: string;
  preview: string;
  name: Generated<string>;
  description: Generated<string>;
  purpose: Generated<"user" | "trusted-publisher">;
  readonly: Generated<boolean>;
  bypass_2fa: Generated<boolean>;
  cidr_whitelist: Generated<string[]>;
  packages: string[] | null;
  scopes: string[] | null;
  trusted_publisher_id: Generated<string | null>;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** Accounts, credentials, memberships and teams. */
export interface AccountTables {
  accounts: {
    id: Generated<number>;
    name: string;
    kind: "user" | "organisation";
    similarity_keys: Generated<string[]>;
    quota_bytes: Generated<number | null>;
    /** Of the account's tarballs and runs; triggers count them. */
    readonly stored_bytes: Generated<number>;
    created_at: Date;
  };
  users: {
    account_id: number;
    email: string | null;
    email_verified_at: Generated<Date | null>;
    full_name: Generated<string>;
    password_hash: string | null;
    is_admin: Generated<boolean>;
    is_moderator: Generated<boolean>;
    totp_secret: string | null;
    totp_confirmed_at: Date | null;
    totp_last_step: number | null;
    disabled_at: Date | null;
    deleted_at: Generated<Date | null>;
    delete_at: Generated<Date | null>;
    deletes_runs: Generated<boolean>;
    accepted_terms: Generated<string | null>;
    updated_at: Date;
  };
  recovery_codes: { user_id: number; code_hash: string };
  memberships: {
    organisation_id: number;
    user_id: number;
    role: "owner" | "admin" | "developer";
    created_at: Date;
  };
  teams: { id: Generated<number>; organisation_id: number; name: string; created_at: Date };
  team_members: { team_id: number; user_id: number };
  invitations: {
    id: string;
    secret_hash: string;
    is_admin: Generated<boolean>;
    organisation_id: number | null;
    invited_by: number | null;
    created_at: Date;
    expires_at: Date;
    used_by: number | null;
    used_at: Date | null;
  };
  sessions: {
    id_hash: string;
    user_id: number;
    waits_for_code: Generated<boolean>;
    client: Generated<string>;
    address: Generated<string>;
    created_at: Date;
    verified_at: Date;
    expires_at: Date;
    last_used_at: Date;
  };
  approvals: {
    id: string;
    purpose: "login" | "otp";
    poll_hash: string;
    code: string;
    user_id: number | null;
    token_id: string | null;
    client: string;
    address: string;
    action: string;
    state: Generated<"waiting" | "approved" | "denied" | "done">;
    created_at: Date;
    expires_at: Date;
  };
  tokens: Tokens;
  one_time_passes: {
    secret_hash: string;
    token_id: string;
    used_at: Date | null;
    expires_at: Date;
  };
  identities: {
    issuer: string;
    subject: string;
    user_id: number;
    label: Generated<string>;
    created_at: Date;
    last_used_at: Date;
  };
  provider_visits: {
    state_hash: string;
    browser_hash: string;
    provider: string;
    verifier: string;
    nonce: string;
    purpose: "sign-in" | "link" | "confirm";
    user_id: number | null;
    invitation_id: string | null;
    next: string;
    form: Generated<string | null>;
    expires_at: Date;
  };
  unregistered_identities: {
    browser_hash: string;
    issuer: string;
    subject: string;
    label: string;
    suggested_name: string;
    full_name: string;
    email: string | null;
    invitation_id: string | null;
    next: string;
    expires_at: Date;
  };
  mails: {
    id: string;
    kind: "verify" | "reset" | "notice";
    user_id: number;
    recipient: string;
    detail: Json<{ readonly subject?: string; readonly text?: string }>;
    created_at: Date;
    attempts: Generated<number>;
    next_at: Date;
    failed_at: Generated<Date | null>;
    error: Generated<string | null>;
  };
  mail_links: {
    secret_hash: string;
    purpose: "verify" | "reset";
    user_id: number;
    email: string;
    expires_at: Date;
  };
  passkeys: {
    id: string;
    user_id: number;
    public_key: string;
    counter: number;
    transports: Generated<string[]>;
    name: string;
    created_at: Date;
    last_used_at: Date;
  };
  passkey_challenges: { browser_hash: string; challenge: string; expires_at: Date };
}
