import validate from "validate-npm-package-name";

import { quoted, refusal } from "../errors/refusal.ts";
import { isReservedName } from "./reserved-name.ts";

/** A package's name and its parts: `@envs/tictactoe` has the scope `envs` and the bare name `tictactoe`. */
export interface PackageName {
  readonly name: string;
  readonly scope?: string;
  readonly bare: string;
}

/** Narrower than npm's rule: a part that begins with `-`, `_` or `~` reads as an option, a private route, or a home. */
const form = /^(?:@([a-z0-9][a-z0-9._-]*)\/)?([a-z0-9][a-z0-9._-]*)$/;

/** Without a scope, these are addresses of the hub itself. */
const addresses: ReadonlySet<string> = new Set(
  "advisories api approve downloads healthz invite metrics readyz register settings sign-in sign-out".split(
    " ",
  ),
);

const longest = 214;

/** The parts of a name that a new package may have; anything else is refused with `name-invalid`. */
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

/** Whether a package can be called so; what else is asked for need not be looked up. */
export function isPackageName(text: string): boolean {
  return problemOf(text) === undefined;
}

/** A dependency may have a name from the days of looser rules, such as `JSONStream`. */
export function isDependencyName(text: string): boolean {
  return text.length <= longest && text.isWellFormed() && validate(text).validForOldPackages;
}

function problemOf(text: string): string | undefined {
  if (text.length > longest) return `it is longer than ${longest} characters`;
  // The library would throw over it.
  if (!text.isWellFormed()) return "it has half of a surrogate pair";
  const { errors = [], warnings = [] } = validate(text);
  const [first] = [...errors, ...warnings];
  if (first !== undefined) return first;
  const [, scope, bare] = form.exec(text) ?? [];
  if (bare === undefined) return "each part begins with a letter or a digit";
  const parts = scope === undefined ? [bare] : [scope, bare];
  if (parts.some((part) => isReservedName(part))) return "Windows reserves it";
  if (parts.some((part) => part.endsWith("."))) return "a part ends with a dot";
  if (scope === undefined && addresses.has(bare)) return "it is an address of the hub itself";
  if (bare === "node_modules") return "node_modules is where packages are installed";
  if (/\.(?:tgz|tar|tar\.gz)$/.test(bare)) return "clients take it for a file";
  return undefined;
}
