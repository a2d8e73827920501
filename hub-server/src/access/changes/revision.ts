import type { Package } from "../permissions/require-package.ts";

/** `_rev` of a package: what a client has seen when it sends it back. */
export function revisionText({ id, revision }: Pick<Package, "id" | "revision">): string {
  return `${revision}-${id.toString(16)}`;
}
