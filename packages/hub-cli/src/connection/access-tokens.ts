import { isHubRequestError } from "@envs/hub-client";
import { FailureError } from "@envs/terminal";
import * as z from "zod";

import type { Connection } from "./connect.ts";

/** Of a hub's answer, what is shown; other registries leave some of it out. */
const token = z.object({
  key: z.string(),
  /** The beginning of the secret; of a new token all of it. */
  token: z.string(),
  name: z.string().nullish(),
  created: z.string(),
  expires: z.string().nullish(),
  last_used: z.string().nullish(),
  readonly: z.boolean().default(false),
  cidr_whitelist: z.array(z.string()).nullish(),
  packages: z.array(z.string()).nullish(),
  scopes: z.array(z.string()).nullish(),
});
const list = z.object({ objects: z.array(token), total: z.int() });

/** A token, as a hub lists it. */
export type ListedToken = z.output<typeof token>;

/** What a new token is for; what is left out is not restricted. */
export interface WantedToken {
  readonly name: string | undefined;
  /** After how many days it ends. */
  readonly expires: number | undefined;
  readonly readonly: boolean;
  readonly cidr: readonly string[] | undefined;
  readonly packages: readonly string[] | undefined;
  readonly scopes: readonly string[] | undefined;
}

const path = "/-/npm/v1/tokens";
const perPage = 100;

/** Your tokens, the newest first. */
export async function listTokens({
  ask,
}: Pick<Connection, "ask">): Promise<readonly ListedToken[]> {
  const tokens: ListedToken[] = [];
  for (let page = 0; ; page += 1) {
    const { objects, total } = await ask({ path: `${path}?page=${page}&perPage=${perPage}` }, list);
    tokens.push(...objects);
    if (objects.length === 0 || tokens.length >= total) return tokens;
  }
}

/** Makes a token. The answer is the only place that has its secret. */
export async function createToken(
  { ask }: Pick<Connection, "ask">,
  { name, expires, readonly, cidr, packages, scopes }: WantedToken,
): Promise<ListedToken> {
  const body = { name, expires, readonly, cidr_whitelist: cidr, packages, scopes };
  return await ask({ method: "POST", path, body }, token);
}

/** Ends a token: its key, the beginning of its key, or the token itself. */
export async function revokeToken({ ask }: Pick<Connection, "ask">, key: string): Promise<void> {
  const request = { method: "DELETE", path: `${path}/token/${encodeURIComponent(key)}` } as const;
  try {
    await ask(request, z.unknown());
  } catch (error) {
    if (!isHubRequestError(error) || error.status !== 404) throw error;
    throw new FailureError(`You have no token with the key ${key}. The keys are in: envs token`);
  }
}
