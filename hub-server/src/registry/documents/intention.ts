import { isDeepStrictEqual } from "node:util";

import * as z from "zod";

import { HubError } from "../../platform/errors/hub-error.ts";

/** What somebody who sends a package's document back wants: one thing. */
export type Intention =
  | { readonly kind: "none" }
  | { readonly kind: "star"; readonly isStarred: boolean }
  | { readonly kind: "deprecate"; readonly messages: ReadonlyMap<string, string> }
  | { readonly kind: "owners"; readonly names: readonly string[] }
  | { readonly kind: "unpublish"; readonly versions: readonly string[] };

/** Clients print it, and terminals obey control characters. */
const message = z
  .string()
  .max(1024)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\t])*$/u, "must not have control characters");

const document = z.looseObject({
  users: z.record(z.string(), z.unknown()).optional(),
  maintainers: z.array(z.looseObject({ name: z.string() })).optional(),
  versions: z.record(z.string(), z.looseObject({ deprecated: message.optional() })).optional(),
});

type Document = z.infer<typeof document>;

/** Fields that say by a difference what is wanted, or, of tags, follow from it. */
const telling = new Set(["_rev", "users", "maintainers", "versions", "dist-tags"]);

/**
 * Reads what is wanted from the difference between the document that was served and the one that came back. A field that
 * is not sent is not changed; whatever else differs is refused, since nothing of a document is stored.
 */
export function intentionOf(
  sent: unknown,
  served: unknown,
  { user }: { readonly user: string },
): Intention {
  const after = parsed(sent);
  const before = document.parse(served);
  const other = Object.keys(after).find(
    (field) => !telling.has(field) && !isDeepStrictEqual(after[field], before[field]),
  );
  if (other !== undefined) throw refused(`this one changes ${other.slice(0, 100)}`);
  const intentions = [
    starIn(after, before, user),
    ownersIn(after, before),
    ...versionsIn(after, before),
  ].filter((each) => each !== undefined);
  const [intention = { kind: "none" }, ...others] = intentions;
  if (others.length > 0)
    throw refused(`this one does ${intentions.map(({ kind }) => kind).join(" and ")} at once`);
  if (intention.kind !== "unpublish" && differs(after, before, "dist-tags"))
    throw refused("this one changes dist-tags, for which there is npm dist-tag");
  return intention;
}

function parsed(sent: unknown): Document {
  const result = document.safeParse(sent);
  if (result.success) return result.data;
  throw new HubError("document-invalid", {
    message: `The body is not the document of a package.\n${z.prettifyError({ issues: result.error.issues.slice(0, 5) })}`,
  });
}

function differs(after: Document, before: Document, field: string): boolean {
  return after[field] !== undefined && !isDeepStrictEqual(after[field], before[field]);
}

/** Of the stars, only one's own is one's own to give; others come and go without a new revision. */
function starIn(after: Document, before: Document, user: string): Intention | undefined {
  if (after.users === undefined) return undefined;
  const isStarred = isIn(after.users, user);
  return isStarred === isIn(before.users ?? {}, user) ? undefined : { kind: "star", isStarred };
}

function isIn(users: Readonly<Record<string, unknown>>, user: string): boolean {
  return Object.hasOwn(users, user) && users[user] === true;
}

function ownersIn(after: Document, before: Document): Intention | undefined {
  if (after.maintainers === undefined) return undefined;
  const names = new Set(after.maintainers.map(({ name }) => name));
  const known = new Set((before.maintainers ?? []).map(({ name }) => name));
  return isDeepStrictEqual(names, known) ? undefined : { kind: "owners", names: [...names] };
}

function versionsIn(after: Document, before: Document): readonly Intention[] {
  if (after.versions === undefined) return [];
  const known = before.versions ?? {};
  const messages = new Map<string, string>();
  for (const [version, manifest] of Object.entries(after.versions)) {
    const served = Object.hasOwn(known, version) ? known[version] : undefined;
    if (served === undefined)
      throw refused(`this one adds ${version.slice(0, 100)} without a tarball`);
    const { deprecated = "" } = manifest;
    if (deprecated !== (served.deprecated ?? "")) messages.set(version, deprecated);
    const field = Object.keys(manifest).find(
      (each) => each !== "deprecated" && !isDeepStrictEqual(manifest[each], served[each]),
    );
    if (field !== undefined)
      throw refused(
        `this one changes ${field.slice(0, 100)} of ${version}, and versions do not change`,
      );
  }
  const left = Object.keys(known).filter(
    (version) => !Object.hasOwn(after.versions ?? {}, version),
  );
  return [
    ...(messages.size > 0 ? [{ kind: "deprecate", messages } as const] : []),
    ...(left.length > 0 ? [{ kind: "unpublish", versions: left } as const] : []),
  ];
}

function refused(what: string): HubError {
  return new HubError("document-change", {
    message: `A document that is sent back may do one of these: star or unstar, deprecate versions or take that back, set the maintainers, or, under /-rev/, leave out versions to unpublish them; ${what}. To change what a package holds, publish a new version.`,
  });
}
