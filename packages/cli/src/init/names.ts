import { UsageError } from "../terminal/errors.ts";

/** Throws a `UsageError` if the name is not valid for a package and an environment. */
export function checkName(name: string): void {
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) && name.length <= 64) return;
  const fixed = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[-0-9]+|-+$/g, "");
  const hint = fixed === "" || fixed.length > 64 ? "" : ` For example: ${fixed}`;
  throw new UsageError(
    `${JSON.stringify(name)} is not a valid environment name. Use lowercase letters, digits and single hyphens, and start with a letter.${hint}`,
  );
}

/** Returns the message of `checkName`, for a prompt. */
export function nameProblem(name: string | undefined): string | undefined {
  try {
    checkName(name ?? "");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Throws a `UsageError` if packages cannot have this scope, which is written without `@`. */
export function checkScope(scope: string): void {
  if (/^[a-z0-9][a-z0-9._-]*$/.test(scope)) return;
  throw new UsageError(
    `${JSON.stringify(scope)} is not a valid scope. Use lower-case letters, digits, dots, underscores and dashes, such as @you.`,
  );
}
