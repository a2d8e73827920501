import type { Identity } from "../../identity/request/identity.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** A package's name and the scope in it; '' without one. */
export interface ScopedName {
  readonly name: string;
  readonly scope: string;
}

/** Whether a token is for this package: it can be for all that its user may reach, or for some packages and scopes. */
export function reaches({ token }: Identity, { name, scope }: ScopedName): boolean {
  const { packages, scopes } = token;
  if (packages === null && scopes === null) return true;
  return (packages?.includes(name) ?? false) || (scopes?.includes(scope) ?? false);
}

/** For a name that may be free: the answer does not tell whether it is. */
export function requireReach(identity: Identity, name: ScopedName): void {
  if (reaches(identity, name)) return;
  throw new HubError("token-out-of-reach", {
    message: `This token is for other packages than ${name.name}. Use one that may publish it: npm token create.`,
  });
}
