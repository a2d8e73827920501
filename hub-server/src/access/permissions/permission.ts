import type { Identity } from "../../identity/request/identity.ts";

/** In this order, each permission includes those before it. Only `admin` may change other users' permissions. */
const permissions = ["read", "stage", "publish", "write", "admin"] as const;

/** `stage` and `publish` exist for the tokens of trusted publishers, which may do nothing else. */
export type Permission = (typeof permissions)[number];

/** The permissions that include `required`. */
export function permissionsFrom(required: Permission): readonly Permission[] {
  return permissions.slice(permissions.indexOf(required));
}

/** Whether the token's permissions include `required`. Its token scope and its user's permissions limit it further. */
export function tokenAllows({ token }: Identity, required: Permission): boolean {
  return permissionsFrom(required).includes(maxPermission(token));
}

function maxPermission({ readonly, permissions }: Identity["token"]): Permission {
  if (readonly) return "read";
  if (permissions === null) return "admin";
  if (permissions.includes("createPackage")) return "publish";
  return permissions.includes("createStagedPackage") ? "stage" : "read";
}
