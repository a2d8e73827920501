import { defineCommand, printResult, success, UsageError } from "@envs/cli/kit";
import { isHubRequestError } from "@envs/hub-client";
import * as z from "zod";

import { displayPath, processContext } from "../config/context.ts";
import { type Connection, connectTo, hubArguments } from "../connection/connect.ts";
import { resolveHub } from "../connection/resolve-hub.ts";
import {
  deleteToken,
  notLoggedInError,
  readToken,
  tokenVariable,
} from "../connection/token-store.ts";

export const command = defineCommand({
  meta: {
    name: "hub logout",
    description: "Log out of a hub: revoke the token and remove it from your .npmrc",
  },
  args: { ...hubArguments },
  async run({ args: { registry, json } }): Promise<void> {
    const context = processContext();
    const address = await resolveHub(context, { registry });
    const { url } = address;
    const stored = await readToken(context, address);
    if (stored === undefined) throw notLoggedInError(context, address);
    const { token, source } = stored;
    if (source === tokenVariable)
      throw new UsageError(
        `Your token for ${url} is in the variable ${tokenVariable}. Unset the variable; to revoke the token: envs hub token revoke`,
      );
    const isRevoked = await revoke(
      connectTo(address, { command: "envs hub logout", token }),
      token,
    );
    await deleteToken(context, url);
    const revocation = isRevoked ? "Revoked the token" : "The token was no longer valid";
    printResult(
      json,
      { hub: url, isRevoked },
      success(
        `Logged out of ${url}. ${revocation}, and removed it from ${displayPath(source, context)}.`,
      ),
    );
  },
});

/** Revokes a token. Returns false if the hub no longer accepts it. */
async function revoke({ request }: Connection, token: string): Promise<boolean> {
  const path = `/-/user/token/${encodeURIComponent(token)}` as const;
  try {
    await request({ method: "DELETE", path }, z.unknown());
    return true;
  } catch (error) {
    if (isHubRequestError(error) && error.status === 401) return false;
    throw error;
  }
}
