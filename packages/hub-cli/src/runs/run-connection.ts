import { FailureError, UsageError, valueOption } from "@envs/cli/kit";
import type { Run, VersionDetail } from "@envs/hub-client";

import { connectAsUser, type Connection, ifNotFound } from "../connection/connect.ts";
import { readUsername } from "../connection/log-in.ts";
import { scopeOf } from "../packages/find-package.ts";

/** The package that a run was played on. */
export interface PlayedPackage {
  readonly name: string;
  readonly version: string;
  /** The hash of the files that were run. */
  readonly contentHash: string;
}

/** A hub that accepts the runs of a package, and the package's version there. */
export interface RunConnection {
  readonly connection: Connection;
  readonly package: PlayedPackage;
  readonly version: VersionDetail;
}

/**
 * Connects to a hub to push runs of a package. Throws unless the user is logged in, the hub has the version, and the files that
 * were run are those of the version. Sends two small requests, so call it before a costly evaluation.
 */
export async function connectForRuns(
  { name, version, contentHash }: PlayedPackage,
  {
    command,
    registry,
    otp,
  }: {
    readonly command: string;
    readonly registry?: string | undefined;
    readonly otp?: string | undefined;
  },
): Promise<RunConnection> {
  const connection = await connectAsUser({ command, registry, otp, scope: scopeOf(name) });
  const { url, client } = connection;
  await readUsername(connection);
  const published = await ifNotFound(client.readVersion({ name, version }), () => {
    throw new FailureError(
      `${name}@${version} is not on ${url}, so its runs cannot be pushed there. Publish it first: envs publish --registry ${url}`,
    );
  });
  if (published.contentHash === null)
    throw new FailureError(
      `${name}@${version} on ${url} has no manifest, so the hub does not accept runs of it. Run envs build and publish a new version.`,
    );
  if (published.contentHash !== contentHash)
    throw new FailureError(
      `The files of ${name} that were run differ from version ${version} on ${url} (${contentHash.slice(0, 19)}… instead of ${published.contentHash.slice(0, 19)}…). Publish them as a new version, or evaluate the published one: envs install ${name}@${version} --registry ${url}`,
    );
  return { connection, package: { name, version, contentHash }, version: published };
}

/** A run on a hub, and a connection that may push another one there. */
interface HubRun {
  readonly connection: Connection;
  readonly run: Run;
}

/** Reads a run by its id, or by the address of its page. */
export async function readHubRun(
  reference: string,
  { command, registry }: { readonly command: string; readonly registry: string | undefined },
): Promise<HubRun> {
  const [, origin, id] = /^(?:(https?:\/\/[^/]+)\/run\/)?([0-9a-z]{8,32})$/.exec(reference) ?? [];
  if (id === undefined)
    throw new UsageError(
      `${JSON.stringify(reference)} is not a run. Pass its id, or the address of its page: http://localhost:4873/run/…`,
    );
  const connection = await connectAsUser({ command, registry: registry ?? origin });
  return { connection, run: await connection.client.readRun({ run: id }) };
}

/** How to reach the server of a model. */
export const serverArguments = {
  "base-url": valueOption("The model's server", "url"),
  "api-key-var": valueOption("The environment variable that contains the server's API key", "name"),
} as const;
