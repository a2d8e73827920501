import { chmod, mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { FailureError, UsageError } from "@envs/cli/kit";

import { type CommandContext, readText, userNpmrcPath } from "../config/context.ts";
import { parseNpmrc, withoutSetting, withSetting } from "../config/npmrc.ts";
import type { HubAddress } from "./resolve-hub.ts";

/** The variable that contains a token, for CI. */
export const tokenVariable = "ENVS_HUB_TOKEN";

/** A token and the place where it is stored. */
export interface StoredToken {
  readonly token: string;
  /** The name of the variable, or the path of the user's `.npmrc`. */
  readonly source: string;
}

/** Reads the token for a hub: from the variable, else from the user's `.npmrc`. Never reads a project's `.npmrc`. */
export async function readToken(
  context: CommandContext,
  { url, isTrusted }: HubAddress,
): Promise<StoredToken | undefined> {
  const variable = context.variables[tokenVariable] ?? "";
  // The variable does not name a hub, so a project's file must not redirect its token.
  if (variable !== "" && isTrusted) return { token: variable, source: tokenVariable };
  const file = userNpmrcPath(context);
  const token = parseNpmrc(await readText(file), context.variables).get(tokenKey(url)) ?? "";
  return token === "" || token.startsWith("${") ? undefined : { token, source: file };
}

/** The error of a command that cannot find its token. */
export function notLoggedInError(
  context: CommandContext,
  { url, source, isTrusted }: HubAddress,
): UsageError {
  if (!isTrusted && (context.variables[tokenVariable] ?? "") !== "")
    return new UsageError(
      `${tokenVariable} is not sent to ${url}, because only a file of this project names that hub (${source}). If the token is for this hub, set ENVS_HUB=${url}`,
    );
  return new UsageError(`You are not logged in to ${url}. Run: envs hub login --registry ${url}`);
}

/** Saves a token in the user's `.npmrc`, which npm, pnpm, Yarn 1 and bun read. Returns the file's path. */
export async function saveToken(
  context: CommandContext,
  url: string,
  token: string,
): Promise<string> {
  // npm would expand these characters.
  if (/[\s"'$\\]/.test(token))
    throw new FailureError(
      `Cannot save the token of ${url}: it contains characters that .npmrc does not allow. Check that the address is a hub.`,
    );
  return await editUserNpmrc(context, (text) => withSetting(text, tokenKey(url), token));
}

/** Removes the token for a hub from the user's `.npmrc`. */
export async function deleteToken(context: CommandContext, url: string): Promise<void> {
  await editUserNpmrc(context, (text) => withoutSetting(text, tokenKey(url)));
}

/** Maps a scope to a hub in the user's `.npmrc`. */
export async function saveUserScope(
  context: CommandContext,
  scope: string,
  url: string,
): Promise<void> {
  await editUserNpmrc(context, (text) => withSetting(text, `${scope}:registry`, `${url}/`));
}

/** The key of a registry's token in an `.npmrc`. */
export function tokenKey(url: string): string {
  return `//${new URL(url).host}/:_authToken`;
}

/**
 * Calls `run` with variables that give a package manager the token of `ENVS_HUB_TOKEN`. They point npm, pnpm and Yarn 1 at
 * a temporary copy of the user's `.npmrc` that refers to the variable: shells cannot pass on a variable named like the
 * setting itself.
 */
export async function withTokenNpmrc<Result>(
  context: CommandContext,
  { url, token }: { readonly url: string; readonly token: StoredToken | undefined },
  run: (variables: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  if (token?.source !== tokenVariable) return await run(userconfig(userNpmrcPath(context)));
  const folder = await mkdtemp(join(tmpdir(), "envs-npmrc-"));
  try {
    const file = join(folder, ".npmrc");
    const userText = await readText(userNpmrcPath(context));
    const text = withSetting(userText, tokenKey(url), `\${${tokenVariable}}`);
    await writeFile(file, text, { mode: 0o600 });
    return await run(userconfig(file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sets both spellings of the variable: npx sets one, users set the other, and package managers differ in their preference. */
function userconfig(file: string): Readonly<Record<string, string>> {
  return { NPM_CONFIG_USERCONFIG: file, npm_config_userconfig: file };
}

/** Replaces the file atomically with mode 0600. Follows a symbolic link. */
async function editUserNpmrc(
  context: CommandContext,
  edit: (text: string) => string,
): Promise<string> {
  const path = userNpmrcPath(context);
  const before = await readText(path);
  const after = edit(before);
  if (after === before) return path;
  const file = await realpath(path).catch(() => path);
  const temporary = `${file}.${process.pid}.incoming`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(temporary, after, { mode: 0o600 });
    await chmod(temporary, 0o600);
    await rename(temporary, file);
  } catch (error) {
    throw new FailureError(`Cannot write ${path}: ${(error as Error).message}`);
  }
  return path;
}
