import { chmod, mkdir, realpath, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { FailureError, UsageError } from "@envs/terminal";

import { type Place, textOf, userNpmrc } from "../config/context.ts";
import { npmrcSettings, withoutSetting, withSetting } from "../config/npmrc.ts";
import type { HubAddress } from "./hub-address.ts";

/** The variable that holds a token, for machines where nobody logs in. */
export const tokenVariable = "ENVS_HUB_TOKEN";

/** A token, and where it was found. */
export interface FoundToken {
  readonly token: string;
  /** The variable, or the user's `.npmrc`. */
  readonly from: string;
}

/** The token for a hub: of the variable, else of the user's `.npmrc`. */
export async function findToken(
  place: Place,
  { url, isTheirs }: HubAddress,
): Promise<FoundToken | undefined> {
  const variable = place.variables[tokenVariable] ?? "";
  // The variable does not say for whom its token is, and a project that names a hub may come from a stranger.
  if (variable !== "" && isTheirs) return { token: variable, from: tokenVariable };
  const file = userNpmrc(place);
  const token = npmrcSettings(await textOf(file), place.variables).get(tokenKey(url)) ?? "";
  return token === "" || token.startsWith("${") ? undefined : { token, from: file };
}

/** The error of a command that needs a token and has none. */
export function notLoggedIn(place: Place, { url, from, isTheirs }: HubAddress): UsageError {
  if (!isTheirs && (place.variables[tokenVariable] ?? "") !== "")
    return new UsageError(
      `${tokenVariable} is set, but the hub ${url} is named by a file of the project alone (${from}), so it does not get that token. If the token is for this hub, say so: set ENVS_HUB=${url}`,
    );
  return new UsageError(`You are not logged in to ${url}. Run: envs login --registry ${url}`);
}

/** Keeps a token for a hub in the user's `.npmrc`, where npm, pnpm, Yarn 1 and bun look for it. Resolves to the file. */
export async function keepToken(place: Place, url: string, token: string): Promise<string> {
  // npm would take it for a variable.
  if (/[\s"'$\\]/.test(token))
    throw new FailureError(`${url} gave a token that .npmrc cannot hold. Is it a hub?`);
  return await edit(place, (text) => withSetting(text, tokenKey(url), token));
}

/** Takes the token for a hub out of the user's `.npmrc`. */
export async function dropToken(place: Place, url: string): Promise<void> {
  await edit(place, (text) => withoutSetting(text, tokenKey(url)));
}

/** Writes the line of a scope into the user's `.npmrc`. */
export async function keepUserScope(place: Place, scope: string, url: string): Promise<void> {
  await edit(place, (text) => withSetting(text, `${scope}:registry`, `${url}/`));
}

/** The name of a registry's token in an `.npmrc`. */
export function tokenKey(url: string): string {
  return `//${new URL(url).host}/:_authToken`;
}

/** Replaces the file in one step, readable by its user alone. Where it is a link, what it leads to. */
async function edit(place: Place, change: (text: string) => string): Promise<string> {
  const named = userNpmrc(place);
  const before = await textOf(named);
  const after = change(before);
  if (after === before) return named;
  const file = await realpath(named).catch(() => named);
  const incoming = `${file}.${process.pid}.incoming`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(incoming, after, { mode: 0o600 });
    await chmod(incoming, 0o600);
    await rename(incoming, file);
  } catch (error) {
    throw new FailureError(`${named} cannot be written: ${(error as Error).message}`);
  }
  return named;
}
