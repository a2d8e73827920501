import { createRequire } from "node:module";

import * as z from "zod";

import type { Prompter } from "./prompter.ts";
import { parseWebAddress, waitForApproval } from "./web-approval.ts";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };
const timeoutMs = 60_000;
/** A hub that has not begun to answer a read after this time is down or unreachable. */
const answerTimeoutMs = 12_000;
const challenge = z.object({ authUrl: z.unknown(), doneUrl: z.unknown() }).partial();

/** Which command sends the requests, and how it proves the second factor. */
export interface HubFetchOptions {
  /** The command that the user approves, such as `envs hub token create`. */
  readonly command: string;
  readonly prompter: Prompter;
  /** The value of `--otp`. */
  readonly otp?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Wraps `fetch` for a hub: adds npm's headers and a timeout, and repeats a request that needs a one-time password. */
export function hubFetch({ command, prompter, otp, signal }: HubFetchOptions): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("user-agent", `envs/${version} node/${process.version} ${process.platform}`);
    headers.set("npm-command", command);
    if (otp !== undefined) headers.set("npm-otp", otp);
    else if (prompter.canApprove) headers.set("npm-auth-type", "web");
    const signals = [init?.signal, signal, AbortSignal.timeout(timeoutMs)].filter(
      (candidate) => candidate != null,
    );
    const isRead = init?.method === undefined || init.method === "GET";
    const send = async (): Promise<Response> => {
      const silence = new AbortController();
      const timer = setTimeout(() => silence.abort(), isRead ? answerTimeoutMs : timeoutMs);
      try {
        const signal = AbortSignal.any([...signals, silence.signal]);
        return await fetch(input, { ...init, headers, signal });
      } finally {
        clearTimeout(timer);
      }
    };
    const response = await send();
    if (otp !== undefined || !requiresOneTimePassword(response)) return response;
    const password = await oneTimePassword(response, { prompter, signal });
    if (password === undefined) return response;
    headers.set("npm-otp", password);
    return await send();
  };
}

function requiresOneTimePassword({ status, headers }: Response): boolean {
  return status === 401 && /\botp\b/i.test(headers.get("www-authenticate") ?? "");
}

/** Waits for an approval in the browser, or asks for a code; `undefined` if neither is possible. */
async function oneTimePassword(
  response: Response,
  { prompter, signal }: Pick<HubFetchOptions, "prompter" | "signal">,
): Promise<string | undefined> {
  const { data } = challenge.safeParse(
    await response
      .clone()
      .json()
      .catch(() => undefined),
  );
  const [page, doneUrl] = [parseWebAddress(data?.authUrl), parseWebAddress(data?.doneUrl)];
  if (page === undefined || doneUrl === undefined || !prompter.canApprove)
    return await prompter.oneTimePassword();
  prompter.notify(`This command needs your approval. Open\n  ${page}`);
  return await waitForApproval(doneUrl, signal);
}
