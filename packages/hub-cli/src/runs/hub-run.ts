import { UsageError } from "@envs/cli/kit";
import type { Run } from "@envs/hub-client";

import { type Connection, connectAsUser } from "../connection/connect.ts";

/** A run on a hub, and a connection that may push another one there. */
export interface HubRun {
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
