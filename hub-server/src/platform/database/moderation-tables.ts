import type { Generated } from "kysely";

/** What moderators decide about: a package or one of its versions, a run, or a user. */
export type TargetKind = "package" | "version" | "run" | "user";

/** What moderators do to a target. */
export type ActKind = "quarantine" | "takedown" | "suspension";

/** Reports of users, and the decisions of moderators. */
export interface ModerationTables {
  moderation_acts: {
    id: string;
    kind: ActKind;
    target_kind: TargetKind;
    target_id: string;
    subject: string;
    owner_id: number | null;
    reason: string;
    explanation: string;
    moderator_id: number | null;
    created_at: Date;
    until: Date | null;
    ended_at: Date | null;
    ended_by: number | null;
    appeal: string | null;
    appealed_at: Date | null;
    appeal_outcome: "granted" | "refused" | null;
    appeal_answer: string | null;
    appeal_decided_by: number | null;
  };
  reports: {
    id: Generated<number>;
    reporter_id: number | null;
    target_kind: Exclude<TargetKind, "version">;
    target_id: string;
    subject: string;
    reason: string;
    details: string;
    created_at: Date;
    outcome: "dismissed" | "acted" | null;
    decided_at: Date | null;
    decided_by: number | null;
  };
}
