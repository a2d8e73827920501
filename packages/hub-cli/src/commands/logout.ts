import { isHubRequestError } from "@envs/hub-client";
import { paint, UsageError } from "@envs/terminal";
import { defineCommand } from "citty";
import * as z from "zod";

import { here, shown } from "../config/context.ts";
import { type Connection, connectTo, hubArguments } from "../connection/connect.ts";
import { whichHub } from "../connection/hub-address.ts";
import { dropToken, findToken, notLoggedIn, tokenVariable } from "../connection/token-store.ts";

export const command = defineCommand({
  meta: {
    name: "logout",
    description: "Log out of a hub: the token is revoked there, and taken out of your .npmrc",
  },
  args: { ...hubArguments },
  async run({ args: { registry, json } }): Promise<void> {
    const place = here();
    const address = await whichHub(place, { registry });
    const { url } = address;
    const found = await findToken(place, address);
    if (found === undefined) throw notLoggedIn(place, address);
    const { token, from } = found;
    if (from === tokenVariable)
      throw new UsageError(
        `Your token for ${url} is in the variable ${tokenVariable}. Unset it here; to end the token everywhere: envs token revoke`,
      );
    const isRevoked = await revoke(connectTo(address, { command: "envs logout", token }), token);
    await dropToken(place, url);
    const revoked = isRevoked ? "The token is revoked" : "The hub did not know the token any more";
    process.stdout.write(
      json === true
        ? `${JSON.stringify({ hub: url, isRevoked })}\n`
        : `${paint("green", "✓")} Logged out of ${url}. ${revoked}, and it is gone from ${shown(from, place)}.\n`,
    );
  },
});

/** Whether the hub still knew the token. */
async function revoke({ ask }: Connection, token: string): Promise<boolean> {
  const path = `/-/user/token/${encodeURIComponent(token)}` as const;
  try {
    await ask({ method: "DELETE", path }, z.unknown());
    return true;
  } catch (error) {
    if (isHubRequestError(error) && error.status === 401) return false;
    throw error;
  }
}
