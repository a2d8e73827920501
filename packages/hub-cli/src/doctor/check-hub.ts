import * as z from "zod";

import { type CommandContext, displayPath } from "../config/context.ts";
import type { Connection } from "../connection/connect.ts";
import { readUsername } from "../connection/log-in.ts";
import { notLoggedInError, type StoredToken } from "../connection/token-store.ts";
import { type Finding, findingOf, note } from "./finding.ts";

const signingKeys = z.object({ keys: z.array(z.unknown()) });

/** Sends the hub the requests that the commands and package managers depend on. */
export async function checkHub(
  connection: Connection,
  context: CommandContext,
  token: StoredToken | undefined,
): Promise<readonly Finding[]> {
  const { request, address } = connection;
  const ping = await findingOf(async () => {
    await request({ path: "/-/ping" }, z.unknown());
    return "it responds";
  });
  if (ping.state === "bad") return [ping];
  return [
    ping,
    token === undefined
      ? note(`you can use public packages only. ${notLoggedInError(context, address).message}`)
      : await findingOf(
          async () =>
            `you are ${await readUsername(connection)}, by the token in ${displayPath(token.source, context)}`,
        ),
    await findingOf(async () => {
      const { keys } = await request({ path: "/-/npm/v1/keys" }, signingKeys);
      return keys.length === 1
        ? "it signs packages with one key"
        : `it signs packages with ${keys.length} keys`;
    }),
    await findingOf(async () => {
      const { last } = await connection.client.readEvents({ limit: 1 });
      return `its event log has ${last.toLocaleString("en")} events`;
    }),
  ];
}
