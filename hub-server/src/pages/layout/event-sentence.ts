import type { EventType } from "@envs/hub-client";

import type { LogEntry } from "../../events/read-log.ts";

/** What each event did. `{subject}` is its object; the other names are fields of its detail. */
const sentences: Readonly<Record<EventType, string>> = {
  "user.created": "Created the account {subject}",
  "user.changed": "Changed the account {subject}",
  "user.deleted": "Deleted the account {subject}",
  "user.suspended": "Suspended the account {subject} for {reason}",
  "user.unsuspended": "Ended the suspension of {subject}",
  "account.quota-changed": "Changed the storage quota of {subject}",
  "organisation.created": "Created the organisation {subject}",
  "member.added": "Added {user} to {subject} as {role}",
  "member.changed": "Made {user} {role} of {subject}",
  "member.removed": "Removed {user} from {subject}",
  "team.created": "Created the team {subject}",
  "team.removed": "Deleted the team {subject}",
  "team.joined": "Added {user} to the team {subject}",
  "team.left": "Removed {user} from the team {subject}",
  "package.created": "Created {subject}",
  "package.access-changed": "Changed who may read {subject}",
  "package.granted": "Gave the team {team} the permission to {permission} {subject}",
  "package.revoked": "Removed the team {team} from {subject}",
  "package.archived": "Archived {subject}",
  "package.unarchived": "Ended the archiving of {subject}",
  "package.unpublished": "Unpublished {subject}",
  "package.quarantined": "Quarantined {subject} for {reason}",
  "package.taken-down": "Took down {subject} for {reason}",
  "package.restored": "Restored {subject}",
  "owner.added": "Made {user} a maintainer of {subject}",
  "owner.removed": "Removed the maintainer {user} from {subject}",
  "version.published": "Published {subject}",
  "version.staged": "Staged {subject}",
  "version.rejected": "Rejected the staged {subject}",
  "version.deprecated": "Deprecated {subject}",
  "version.undeprecated": "Ended the deprecation of {subject}",
  "version.yanked": "Yanked {subject}",
  "version.unyanked": "Ended the yanking of {subject}",
  "version.unpublished": "Unpublished {subject}",
  "version.taken-down": "Took down {subject} for {reason}",
  "version.restored": "Restored {subject}",
  "tag.set": "Set the tag {tag} of {subject} to {version}",
  "tag.removed": "Removed the tag {tag} of {subject}",
  "trust.added": "Added a trusted publisher of {subject}: {type}",
  "trust.removed": "Removed a trusted publisher of {subject}: {type}",
  "trust.used": "Issued a token to a trusted publisher of {subject}: {type}",
  "key.rotated": "Replaced the key that signs packages by {subject}",
  "advisory.published": "Published an advisory for {subject}: {title}",
  "advisory.withdrawn": "Withdrew an advisory for {subject}: {title}",
  "run.pushed": "Pushed the run {run} of {subject}",
  "run.deleted": "Deleted the run {run} of {subject}",
  "run.taken-down": "Took down the run {subject} for {reason}",
  "run.restored": "Restored the run {subject}",
};

/** Fields that only programs need, which read the feed of events, and marks that the page shows beside the user. */
const hidden = ["byAdministrator", "moderation", "integrity", "sha256", "id", "kind", "run"];

/** Describes an event, with the details that the sentence does not contain. A missing field stays out of it. */
export function eventSentence({
  type,
  subject,
  detail,
}: Pick<LogEntry, "type" | "subject" | "detail">): {
  readonly sentence: string;
  readonly details: readonly (readonly [name: string, text: string])[];
} {
  const used = new Set(hidden);
  const sentence = sentences[type].replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    used.add(name);
    return name === "subject" ? subject : textOf(detail[name]);
  });
  const rest = Object.entries(detail).filter(([name]) => !used.has(name));
  return { sentence, details: rest.map(([name, value]) => [name, textOf(value)]) };
}

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "–");
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
