import validate from "validate-npm-package-name";

import { quoted, refusal } from "../errors/hub-error.ts";
import { isReservedName } from "./reserved-name.ts";

/** A package's name and its parts: `@envs/tictactoe` has the scope `envs` and the bare name `tictactoe`. */
export interface PackageName {
  readonly name: string;
  readonly scope?: string;
  readonly bare: string;
}

/** Stricter than npm's rule: a leading `-`, `_` or `~` looks like an option, a private route or a home folder. */
const form = /^(?:@([a-z0-9][a-z0-9._-]*)\/)?([a-z0-9][a-z0-9._-]*)$/;

/** Unscoped names that would collide with routes of the hub. */
const routes: ReadonlySet<string> = new Set(
  "advisories api appeal approve downloads healthz invite metrics moderation readyz register report settings sign-in sign-out".split(
    " ",
  ),
);

/** npm's limit. */
const maxLength = 214;

/** Splits the name of a new package into its parts; throws `name-invalid` for an invalid name. */
export function packageName(text: string): PackageName {
  const problem = problemOf(text);
  if (problem !== undefined)
    throw refusal(
      "name-invalid",
      `${quoted(text)} cannot be a package's name: ${problem}. ` +
        "Choose lower-case letters, digits, dots, hyphens and underscores, such as @scope/name.",
    );
  const [, scope, bare = text] = form.exec(text) ?? [];
  return { name: text, bare, ...(scope !== undefined && { scope }) };
}

/** Whether the text can be a package's name; other texts need no lookup. */
export function isPackageName(text: string): boolean {
  return problemOf(text) === undefined;
}

/** Whether the text can be a dependency's name, which may follow npm's older, looser rules, such as `JSONStream`. */
export function isDependencyName(text: string): boolean {
  return text.length <= maxLength && text.isWellFormed() && validate(text).validForOldPackages;
}

function problemOf(text: string): string | undefined {
  if (text.length > maxLength) return `it is longer than ${maxLength} characters`;
  // validate() throws on it.
  if (!text.isWellFormed()) return "it has half of a surrogate pair";
  const { errors = [], warnings = [] } = validate(text);
  const [first] = [...errors, ...warnings];
  if (first !== undefined) return first;
  const [, scope, bare] = form.exec(text) ?? [];
  if (bare === undefined) return "each part must begin with a letter or a digit";
  const parts = scope === undefined ? [bare] : [scope, bare];
  if (parts.some((part) => isReservedName(part))) return "Windows reserves it";
  if (parts.some((part) => part.endsWith("."))) return "a part ends with a dot";
  if (scope === undefined && routes.has(bare)) return "it is a route of the hub";
  if (bare === "node_modules") return "node_modules is where packages are installed";
  if (/\.(?:tgz|tar|tar\.gz)$/.test(bare)) return "clients would treat it as a file";
  return undefined;
}
