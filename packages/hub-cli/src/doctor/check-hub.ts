import * as z from "zod";

import { type CommandContext, displayPath } from "../config/context.ts";
import type { Connection } from "../connection/connect.ts";
import { readUsername } from "../connection/log-in.ts";
import { notLoggedInError, type StoredToken } from "../connection/token-store.ts";
import { installedPackages } from "../packages/project-dependencies.ts";
import { readVersionWarnings, warningLines } from "../packages/version-warnings.ts";
import { type Finding, findingOf, good, note } from "./finding.ts";

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

/** Reports the hub's warnings for the installed packages of some scopes. */
export async function checkPackages(
  connection: Connection,
  folder: string,
  scopes: ReadonlySet<string>,
): Promise<readonly Finding[]> {
  const versions = await readVersionWarnings(connection, await installedPackages(folder, scopes));
  if (versions.length === 0) return [];
  const lines = warningLines(versions);
  if (lines.length > 0) return lines.map(note);
  const names = versions.map(({ name, version }) => `${name} ${version}`).join(", ");
  return [good(`no warnings for ${names}`)];
}
