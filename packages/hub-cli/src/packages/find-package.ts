import type { PackageDetail } from "@envs/hub-client";

import type { Connection } from "../connection/connect.ts";
import { fullName } from "./full-name.ts";
import { about } from "./not-there.ts";

/** Reads the package that a name means, with or without its scope. */
export async function namedPackage(
  connection: Pick<Connection, "client" | "url">,
  written: string,
): Promise<PackageDetail> {
  const name = await fullName(connection, written);
  return await about({ name, url: connection.url }, connection.client.readPackage({ name }));
}
