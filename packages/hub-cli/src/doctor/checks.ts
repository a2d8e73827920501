import { stat } from "node:fs/promises";
import { join } from "node:path";

import { isHubRequestError } from "@envs/hub-client";
import * as z from "zod";

import {
  type CommandContext,
  displayPath,
  projectRoot,
  readText,
  userNpmrcPath,
} from "../config/context.ts";
import { parseNpmrc } from "../config/npmrc.ts";
import type { Connection } from "../connection/connect.ts";
import { readUsername } from "../connection/log-in.ts";
import { notLoggedInError, type StoredToken } from "../connection/token-store.ts";
import { installedPackages } from "../packages/project-dependencies.ts";
import { readVersionWarnings, warningLines } from "../packages/version-warnings.ts";

/** A result of a check. A `bad` finding makes commands fail; a `note` does not. */
export interface Finding {
  readonly state: "good" | "note" | "bad";
  readonly text: string;
}

export function good(text: string): Finding {
  return { state: "good", text };
}

export function note(text: string): Finding {
  return { state: "note", text };
}

export function bad(text: string): Finding {
  return { state: "bad", text };
}

/** Runs a check against a hub: its text is good, a failed request is bad. */
async function findingOf(check: () => Promise<string>): Promise<Finding> {
  try {
    return good(await check());
  } catch (error) {
    if (isHubRequestError(error)) return bad(error.message);
    throw error;
  }
}

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

/** Finds secrets in the project's `.npmrc`, and a user's `.npmrc` that other users can read. */
export async function checkFiles(context: CommandContext): Promise<readonly Finding[]> {
  const userFile = userNpmrcPath(context);
  const projectFile = join(await projectRoot(context.folder), ".npmrc");
  const findings: Finding[] = [];
  if (projectFile !== userFile && (await containsSecret(projectFile)))
    findings.push(
      bad(
        `${displayPath(projectFile, context)} contains a token, which everyone with access to the project can read. Remove it, revoke it (envs hub token revoke), and log in: envs hub login`,
      ),
    );
  if (process.platform === "win32" || !(await isReadableByOthers(userFile))) return findings;
  const path = displayPath(userFile, context);
  if (await containsSecret(userFile))
    findings.push(note(`other users of this machine can read ${path}: chmod 600 ${path}`));
  return findings;
}

async function isReadableByOthers(file: string): Promise<boolean> {
  const mode = await stat(file).then(
    (stats) => stats.mode,
    () => 0o600,
  );
  return (mode & 0o077) !== 0;
}

async function containsSecret(file: string): Promise<boolean> {
  // Without variables, `${NAME}` stays as it is.
  const settings = parseNpmrc(await readText(file), {});
  return Array.from(settings).some(
    ([key, value]) => /:_(?:authToken|auth|password)$/.test(key) && !value.includes("${"),
  );
}
