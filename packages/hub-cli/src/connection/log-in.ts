import { clean, FailureError, UsageError } from "@envs/cli/kit";
import * as z from "zod";

import { type Connection, ifNotFound } from "./connect.ts";
import type { Prompter } from "./prompter.ts";
import { parseWebAddress, waitForApproval } from "./web-approval.ts";

const webLogin = z.object({
  loginUrl: z.string(),
  doneUrl: z.string(),
  /** The code that the user compares with the page. Hubs send it; npm's registry does not. */
  code: z
    .string()
    .regex(/^[\w-]{1,40}$/)
    .optional()
    .catch(undefined),
});
const loggedIn = z.object({ token: z.string().min(1) });
const identity = z.object({ username: z.string().transform(clean) });

/** Logs in on a page that the user opens. Returns the token. */
export async function logInByWeb(
  { request, url }: Pick<Connection, "request" | "url">,
  prompter: Prompter,
  signal?: AbortSignal,
): Promise<string> {
  const login = request({ method: "POST", path: "/-/v1/login", body: {} }, webLogin);
  const { loginUrl, doneUrl, code } = await ifNotFound(login, () => {
    throw new FailureError(
      `${url} does not support login in the browser. Use a password: envs hub login --password --registry ${url}`,
    );
  });
  const [page, done] = [parseWebAddress(loginUrl), parseWebAddress(doneUrl)];
  if (page === undefined || done === undefined)
    throw new FailureError(
      `${url} returned no login page and is probably not a hub. Check the address.`,
    );
  const comparison = code === undefined ? "" : `, and compare the code: ${code}`;
  prompter.notify(`Open this page${comparison}\n  ${page}`);
  return await waitForApproval(done, signal);
}

/** Logs in with a username and a password. Returns the token. */
export async function logInByPassword(
  { request }: Pick<Connection, "request">,
  prompter: Prompter,
  user: string | undefined,
): Promise<string> {
  const name = user ?? (await prompter.username()) ?? "";
  if (name === "") throw new UsageError("Missing username. Pass --user <name>.");
  const password = await prompter.password();
  if (password === "")
    throw new UsageError("Missing password. Type it, or pipe it to stdin as the first line.");
  const body = { _id: `org.couchdb.user:${name}`, name, password, type: "user", roles: [] };
  const path = `/-/user/org.couchdb.user:${encodeURIComponent(name)}` as const;
  return (await request({ method: "PUT", path, body }, loggedIn)).token;
}

/** Returns the username that belongs to the connection's token. */
export async function readUsername({ request }: Pick<Connection, "request">): Promise<string> {
  return (await request({ path: "/-/whoami" }, identity)).username;
}
