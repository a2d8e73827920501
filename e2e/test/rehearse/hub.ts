import { appendFile } from "node:fs/promises";

import { browser } from "@envs/hub-server/testing/browser";

import { password } from "../support/hub/approver.ts";
import type { HubProcess } from "../support/hub/process.ts";
import { logIn, readPackument, type User } from "../support/hub/publishing.ts";

/** Creates the first account of a hub. */
export async function firstAccount(hub: HubProcess): Promise<User> {
  const page = browser(hub);
  await page.open(hub.invitation ?? "");
  await page.press("Create account", { Name: "ada", Password: password });
  return await logIn(hub.url, "ada");
}

/** Logs a user's npm in at a hub: adds the token, and maps the user's scope. */
export async function saveLogin(npmrc: string, { hub, name, token }: User): Promise<void> {
  const { host } = new URL(hub);
  await appendFile(npmrc, `@${name}:registry=${hub}/\n//${host}/:_authToken=${token}\n`);
}

/** Throws an error that lists the versions which a hub lacks. */
export async function expectPublished(
  hub: string,
  packages: readonly { readonly name: string; readonly version: string }[],
): Promise<void> {
  const missing: string[] = [];
  for (const { name, version } of packages)
    if ((await readPackument(hub, name)).versions[version] === undefined)
      missing.push(`${name}@${version}`);
  if (missing.length > 0) throw new Error(`Not published: ${missing.join(", ")}`);
}
