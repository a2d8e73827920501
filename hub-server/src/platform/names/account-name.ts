import { HubError } from "../errors/hub-error.ts";
import { isReservedName } from "./reserved-name.ts";

/** An account's name is also a package scope, so it follows the rules of package names. */
const form = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

/** Names that could be confused with the hub itself, a route or a command. */
const reserved: ReadonlySet<string> = new Set(
  [
    // prose-ignore: names, not sentences
    "admin administrator anonymous everybody everyone nobody public root",
    "account accounts all me member members self staff user users",
    "abuse appeal billing legal moderation moderator moderators official postmaster report reports verified webmaster",
    "help info mail owner security status support system team teams",
    "api docs login logout npm org organisation organization orgs",
    "approve invite register settings sign-in sign-out style token tokens",
    "envs hub metrics node_modules null package packages registry search undefined",
  ].flatMap((names) => names.split(" ")),
);

/** Whether the text can be an account's name; other texts need no lookup. */
export function isAccountName(text: string): boolean {
  return form.test(text);
}

/** Throws if a new account cannot have this name. */
export function checkAccountName(name: string): void {
  if (!isAccountName(name) || isReservedName(name))
    throw new HubError("account-name-invalid", {
      message: `${JSON.stringify(name.slice(0, 100))} cannot be an account's name, because it could not be a package scope. Use up to 64 lower-case letters, digits, dots, hyphens and underscores; begin and end with a letter or a digit.`,
    });
  if (reserved.has(name))
    throw new HubError("account-name-reserved", {
      message: `The name ${name} is reserved for the hub. Choose another name.`,
    });
}
