import { createPackage } from "../../src/packages/publish/insert-version.ts";
import type { TestHub, TestUser } from "./hub.ts";

/** Creates an organisation through the API. */
export async function makeOrganisation(
  server: TestHub,
  owner: TestUser,
  name: string,
): Promise<{ readonly id: number; readonly name: string }> {
  const options = { method: "POST", as: owner, body: { name } };
  const { status } = await server.request("/api/v1/organisations", options);
  if (status !== 201) throw new Error(`The organisation ${name} could not be created: ${status}.`);
  return await server.hub.database
    .selectFrom("accounts")
    .where("name", "=", name)
    .select(["id", "name"])
    .executeTakeFirstOrThrow();
}

/** Creates an organisation's package without versions, with the permissions that publishing grants. */
export async function makePackage(
  server: TestHub,
  name: string,
  {
    organisation,
    creator,
    access = "restricted",
  }: {
    readonly organisation: { readonly id: number };
    readonly creator: TestUser;
    readonly access?: "public" | "restricted";
  },
): Promise<{ readonly id: number; readonly name: string }> {
  return await createPackage(server.hub.database, {
    name,
    ownerId: organisation.id,
    creatorId: creator.id,
    access,
    now: server.hub.clock(),
  });
}
