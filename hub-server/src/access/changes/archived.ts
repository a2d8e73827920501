import { HubError } from "../../platform/errors/hub-error.ts";
import type { Package } from "../permissions/require-package.ts";

/** Refuses to change a package in the archive: it can be installed as it is, and that is all. */
export function refuseArchived({ name, archived_at }: Package): void {
  if (archived_at === null) return;
  throw new HubError("package-archived", {
    message: `${name} is archived: it can be installed, and not changed. An owner can take it out of the archive: envs archive ${name} --undo`,
  });
}
