import { isHubRequestError } from "@envs/hub-client";
import { clean, FailureError, UsageError } from "@envs/terminal";
import * as z from "zod";

import type { Connection } from "./connect.ts";
import type { Person } from "./prompter.ts";
import { granting, webAddress } from "./web-approval.ts";

const begun = z.object({
  loginUrl: z.string(),
  doneUrl: z.string(),
  /** Hubs tell it; other registries have it on their page alone. */
  code: z
    .string()
    .regex(/^[\w-]{1,40}$/)
    .optional()
    .catch(undefined),
});
const loggedIn = z.object({ token: z.string().min(1) });
const identity = z.object({ username: z.string().transform(clean) });

/** Logs in by a page that the person opens. Resolves to the token. */
export async function logInByWeb(
  { ask, url }: Pick<Connection, "ask" | "url">,
  person: Person,
  signal?: AbortSignal,
): Promise<string> {
  const begin = ask({ method: "POST", path: "/-/v1/login", body: {} }, begun);
  const { loginUrl, doneUrl, code } = await begin.catch((error: unknown) => {
    if (isHubRequestError(error) && error.status === 404)
      throw new FailureError(
        `${url} has no login in the browser. Log in by password: envs login --password --registry ${url}`,
      );
    throw error;
  });
  const [page, done] = [webAddress(loginUrl), webAddress(doneUrl)];
  if (page === undefined || done === undefined)
    throw new FailureError(`${url} names no page to log in at. Is it a hub?`);
  const compared = code === undefined ? "" : `, and compare the code: ${code}`;
  person.told(`Open this page${compared}\n  ${page}`);
  return await granting(done, signal);
}

/** Logs in by a name and a password. Resolves to the token. */
export async function logInByPassword(
  { ask }: Pick<Connection, "ask">,
  person: Person,
  given: string | undefined,
): Promise<string> {
  const name = given ?? (await person.name()) ?? "";
  if (name === "") throw new UsageError("Whose login? Say it with --user <name>.");
  const password = await person.password();
  if (password === "")
    throw new UsageError("There is no password: type it, or pipe it in as the first line.");
  const body = { _id: `org.couchdb.user:${name}`, name, password, type: "user", roles: [] };
  const path = `/-/user/org.couchdb.user:${encodeURIComponent(name)}` as const;
  return (await ask({ method: "PUT", path, body }, loggedIn)).token;
}

/** The name that a hub knows the token's user by. */
export async function whoAmI({ ask }: Pick<Connection, "ask">): Promise<string> {
  return (await ask({ path: "/-/whoami" }, identity)).username;
}
