import { HubError } from "../errors/hub-error.ts";
import { isReservedName } from "./reserved-name.ts";

/** An account's name is its scope, so each begins and ends as a package's name may. */
const form = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

/** Names that would read as the hub itself, as a part of an address, or as a word of a command. */
const reserved: ReadonlySet<string> = new Set(
  [
    "admin administrator anonymous everybody everyone nobody public root",
    "account accounts all me member members self staff user users",
    "help info mail owner security status support system team teams",
    "api docs login logout npm org organisation organization orgs",
    "approve invite register settings sign-in sign-out style token tokens",
    "hub metrics node_modules null package packages registry search undefined",
  ].flatMap((names) => names.split(" ")),
);

/** Whether an account could have this name; what is asked of the database is otherwise no name at all. */
export function isAccountName(text: string): boolean {
  return form.test(text);
}

/** Refuses a name that no new account may have. */
export function checkAccountName(name: string): void {
  if (!isAccountName(name) || isReservedName(name))
    throw new HubError(400, "account-name-invalid", {
      message: `${JSON.stringify(name.slice(0, 100))} cannot be an account's name: it is also a scope of packages. Choose up to 64 lower-case letters, digits, dots, hyphens and underscores; begin and end with a letter or a digit.`,
    });
  if (reserved.has(name))
    throw new HubError(400, "account-name-reserved", {
      message: `The name ${name} is kept for the hub itself. Choose another.`,
    });
}
