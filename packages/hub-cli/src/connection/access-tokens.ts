import { FailureError } from "@envs/cli/kit";
import * as z from "zod";

import { type Connection, ifNotFound } from "./connect.ts";

/** The fields that the command shows; other registries omit some of them. */
const tokenSummary = z.object({
  key: z.string(),
  /** The start of the secret; the whole secret if the token is new. */
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
const tokenPage = z.object({ objects: z.array(tokenSummary), total: z.int() });

/** A token as a hub lists it. */
export type TokenSummary = z.output<typeof tokenSummary>;

/** The properties of a new token; an omitted limit does not apply. */
export interface NewToken {
  readonly name: string | undefined;
  /** In days. */
  readonly expires: number | undefined;
  readonly readonly: boolean;
  readonly cidr: readonly string[] | undefined;
  readonly packages: readonly string[] | undefined;
  readonly scopes: readonly string[] | undefined;
}

const path = "/-/npm/v1/tokens";
const perPage = 100;

/** Lists the user's tokens, the newest first. */
export async function listTokens({
  request,
}: Pick<Connection, "request">): Promise<readonly TokenSummary[]> {
  const tokens: TokenSummary[] = [];
  for (let page = 0; ; page += 1) {
    const { objects, total } = await request(
      { path: `${path}?page=${page}&perPage=${perPage}` },
      tokenPage,
    );
    tokens.push(...objects);
    if (objects.length === 0 || tokens.length >= total) return tokens;
  }
}

/** Creates a token. Only this response contains its secret. */
export async function createToken(
  { request }: Pick<Connection, "request">,
  { name, expires, readonly, cidr, packages, scopes }: NewToken,
): Promise<TokenSummary> {
  const body = { name, expires, readonly, cidr_whitelist: cidr, packages, scopes };
  return await request({ method: "POST", path, body }, tokenSummary);
}

/** Revokes a token by its key, the start of its key, or its secret. */
export async function revokeToken(
  { request }: Pick<Connection, "request">,
  key: string,
): Promise<void> {
  const tokenPath = `${path}/token/${encodeURIComponent(key)}` as const;
  await ifNotFound(request({ method: "DELETE", path: tokenPath }, z.unknown()), () => {
    throw new FailureError(`You have no token with the key ${key}. List the keys: envs hub token`);
  });
}
