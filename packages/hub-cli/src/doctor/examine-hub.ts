import { isHubRequestError } from "@envs/hub-client";
import * as z from "zod";

import { type Place, shown } from "../config/context.ts";
import type { Connection } from "../connection/connect.ts";
import { whoAmI } from "../connection/log-in.ts";
import { type FoundToken, notLoggedIn } from "../connection/token-store.ts";
import { bad, type Finding, good, note } from "./finding.ts";

const keys = z.object({ keys: z.array(z.unknown()) });

/** Asks a hub what every command and package manager asks of it. */
export async function examineHub(
  connection: Connection,
  place: Place,
  token: FoundToken | undefined,
): Promise<readonly Finding[]> {
  const { ask, address } = connection;
  try {
    await ask({ path: "/-/ping" }, z.unknown());
  } catch (error) {
    return [bad(reasonOf(error))];
  }
  const from = token === undefined ? "" : shown(token.from, place);
  return [
    good("it answers"),
    token === undefined
      ? note(`what is public is there for you. ${notLoggedIn(place, address).message}`)
      : await found(async () => `you are ${await whoAmI(connection)}, by the token in ${from}`),
    await found(async () => {
      const { keys: known } = await ask({ path: "/-/npm/v1/keys" }, keys);
      return known.length === 1 ? "it signs, with one key" : `it signs, with ${known.length} keys`;
    }),
    await found(async () => {
      const { last } = await connection.client.readEvents({ limit: 1 });
      return `it tells of what happens, ${last.toLocaleString("en")} events so far`;
    }),
  ];
}

async function found(what: () => Promise<string>): Promise<Finding> {
  try {
    return good(await what());
  } catch (error) {
    return bad(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (isHubRequestError(error)) return error.message;
  throw error;
}
