import { isDeepStrictEqual } from "node:util";

import * as z from "zod";

import { deprecationMessage } from "../../packages/lifecycle/lifecycle.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** The one change that a client requests by sending an edited package document. */
export type DocumentChange =
  | { readonly kind: "none" }
  | { readonly kind: "star"; readonly isStarred: boolean }
  | { readonly kind: "deprecate"; readonly messages: ReadonlyMap<string, string> }
  | { readonly kind: "owners"; readonly names: readonly string[] }
  | { readonly kind: "unpublish"; readonly versions: readonly string[] };

const document = z.looseObject({
  users: z.record(z.string(), z.unknown()).optional(),
  maintainers: z.array(z.looseObject({ name: z.string() })).optional(),
  versions: z
    .record(z.string(), z.looseObject({ deprecated: deprecationMessage.optional() }))
    .optional(),
});

type Document = z.infer<typeof document>;

/** Fields whose differences express a change, and `dist-tags`, which change with the versions. */
const changeableFields = new Set(["_rev", "users", "maintainers", "versions", "dist-tags"]);

/**
 * Compares the document that the hub served with the edited one, in which a missing field means no change. Rejects other
 * differences, because the hub does not store documents. `user` is the caller's name: a document changes only their star.
 */
export function documentChange(sent: unknown, served: unknown, user: string): DocumentChange {
  const after = parse(sent);
  const before = document.parse(served);
  const otherField = Object.keys(after).find(
    (field) => !changeableFields.has(field) && !isDeepStrictEqual(after[field], before[field]),
  );
  if (otherField !== undefined) throw notAllowed(`changes ${otherField.slice(0, 100)}`);
  const changes = [
    starChange(after, before, user),
    ownersChange(after, before),
    ...versionChanges(after, before),
  ].filter((change) => change !== undefined);
  const [change = { kind: "none" }, ...others] = changes;
  if (others.length > 0)
    throw notAllowed(`makes several changes (${changes.map(({ kind }) => kind).join(", ")})`);
  if (change.kind !== "unpublish" && differs(after, before, "dist-tags"))
    throw notAllowed("changes dist-tags, which needs npm dist-tag");
  return change;
}

function parse(sent: unknown): Document {
  const result = document.safeParse(sent);
  if (result.success) return result.data;
  throw new HubError("document-invalid", {
    message: `The body is not a package document:\n${z.prettifyError({ issues: result.error.issues.slice(0, 5) })}`,
  });
}

function differs(after: Document, before: Document, field: string): boolean {
  return after[field] !== undefined && !isDeepStrictEqual(after[field], before[field]);
}

/** The change of the caller's star. Ignores stars of other users, which can change without a new revision. */
function starChange(after: Document, before: Document, user: string): DocumentChange | undefined {
  if (after.users === undefined) return undefined;
  const isStarred = hasStarred(after.users, user);
  return isStarred === hasStarred(before.users ?? {}, user)
    ? undefined
    : { kind: "star", isStarred };
}

function hasStarred(users: Readonly<Record<string, unknown>>, user: string): boolean {
  return Object.hasOwn(users, user) && users[user] === true;
}

function ownersChange(after: Document, before: Document): DocumentChange | undefined {
  if (after.maintainers === undefined) return undefined;
  const names = new Set(after.maintainers.map(({ name }) => name));
  const known = new Set((before.maintainers ?? []).map(({ name }) => name));
  return isDeepStrictEqual(names, known) ? undefined : { kind: "owners", names: [...names] };
}

function versionChanges(after: Document, before: Document): readonly DocumentChange[] {
  if (after.versions === undefined) return [];
  const known = before.versions ?? {};
  const messages = new Map<string, string>();
  for (const [version, manifest] of Object.entries(after.versions)) {
    const served = Object.hasOwn(known, version) ? known[version] : undefined;
    if (served === undefined) throw notAllowed(`adds ${version.slice(0, 100)} without a tarball`);
    const { deprecated = "" } = manifest;
    if (deprecated !== (served.deprecated ?? "")) messages.set(version, deprecated);
    const field = Object.keys(manifest).find(
      (name) => name !== "deprecated" && !isDeepStrictEqual(manifest[name], served[name]),
    );
    if (field !== undefined)
      throw notAllowed(`changes ${field.slice(0, 100)} of ${version}, but versions cannot change`);
  }
  const removed = Object.keys(known).filter(
    (version) => !Object.hasOwn(after.versions ?? {}, version),
  );
  return [
    ...(messages.size > 0 ? [{ kind: "deprecate", messages } as const] : []),
    ...(removed.length > 0 ? [{ kind: "unpublish", versions: removed } as const] : []),
  ];
}

function notAllowed(problem: string): HubError {
  return new HubError("document-change", {
    message: `The document ${problem}. It can make one of these changes: star or unstar the package, deprecate versions or undo that, set the maintainers, or, under /-rev/, omit versions to unpublish them. To change the content of a package, publish a new version.`,
  });
}
