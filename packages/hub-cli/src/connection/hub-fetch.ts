import { createRequire } from "node:module";

import * as z from "zod";

import type { Person } from "./prompter.ts";
import { granting, webAddress } from "./web-approval.ts";

/** Who makes requests, and for which command. */
export interface HubFetchOptions {
  /** What somebody reads who is asked to approve it, such as `envs token create`. */
  readonly command: string;
  readonly person: Person;
  /** A one-time password that was given beforehand. */
  readonly otp?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };
const longest = 60_000;
const challenge = z.object({ authUrl: z.unknown(), doneUrl: z.unknown() }).partial();

/** A `fetch` for a hub: says what asks, ends what takes too long, and gets a one-time password where the hub wants one. */
export function hubFetch({ command, person, otp, signal }: HubFetchOptions): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("user-agent", `envs/${version} node/${process.version} ${process.platform}`);
    headers.set("npm-command", command);
    if (otp !== undefined) headers.set("npm-otp", otp);
    else if (person.canApprove) headers.set("npm-auth-type", "web");
    const signals = [init?.signal, signal, AbortSignal.timeout(longest)].filter(
      (each) => each != null,
    );
    const send = (): Promise<Response> =>
      fetch(input, { ...init, headers, signal: AbortSignal.any(signals) });
    const response = await send();
    if (otp !== undefined || !wantsOneTimePassword(response)) return response;
    const given = await oneTimePassword(response, { person, signal });
    if (given === undefined) return response;
    headers.set("npm-otp", given);
    return await send();
  };
}

function wantsOneTimePassword({ status, headers }: Response): boolean {
  return status === 401 && /\botp\b/i.test(headers.get("www-authenticate") ?? "");
}

/** What the person's app shows, or what they approved in the browser; `undefined` if nobody can be asked. */
async function oneTimePassword(
  response: Response,
  { person, signal }: Pick<HubFetchOptions, "person" | "signal">,
): Promise<string | undefined> {
  const { data } = challenge.safeParse(
    await response
      .clone()
      .json()
      .catch(() => undefined),
  );
  const [page, done] = [webAddress(data?.authUrl), webAddress(data?.doneUrl)];
  if (page !== undefined && done !== undefined && person.canApprove) {
    person.told(`This needs your approval. Open\n  ${page}`);
    return await granting(done, signal);
  }
  return await person.oneTimePassword();
}
