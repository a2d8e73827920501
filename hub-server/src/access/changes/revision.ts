import { HubError } from "../../platform/errors/hub-error.ts";
import type { Package } from "../permissions/require-package.ts";

/** The `_rev` of a package's document. Clients that change a document send back the `_rev` that they read. */
export function revisionText({ id, revision }: Pick<Package, "id" | "revision">): string {
  return `${revision}-${id.toString(16)}`;
}

/** Rejects a change that is based on an older revision of the package. */
export function requireCurrentRevision(
  package_: Pick<Package, "id" | "name" | "revision">,
  rev: string,
): void {
  if (rev === revisionText(package_)) return;
  throw new HubError("revision-stale", {
    message: `${package_.name} has changed since the client read its revision ${JSON.stringify(rev.slice(0, 50))}. Run the command again.`,
  });
}
