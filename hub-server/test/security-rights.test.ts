import { randomUUID } from "node:crypto";

import { describe, expect, test } from "vitest";

import { invite, openInvitation } from "../src/identity/accounts/invitations.ts";
import { databases, type TestUser } from "./support/hub.ts";
import { makeOrganisation } from "./support/organisation.ts";
import { escapedName } from "./support/package-document.ts";
import { publishBody, publishOrThrow } from "./support/publish.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  const admin = sharedUser(server, "root", { isAdmin: true });

  describe("an invitation", () => {
    const isOpen = async (secret: string): Promise<boolean> => {
      const { database, clock } = server.hub;
      return (await openInvitation(database, { secret, now: clock() })) !== undefined;
    };
    const inviteUser = async (
      by: TestUser,
      to: { readonly isAdmin?: boolean; readonly organisationId?: number },
    ): Promise<string> => {
      const { database, clock } = server.hub;
      const invitation = await invite(database, {
        ...to,
        invitedBy: by.id,
        hours: 1,
        now: clock(),
      });
      return invitation.secret;
    };
    const updateUser = async (user: TestUser, body: object): Promise<void> => {
      const options = { method: "PATCH", as: admin, body };
      expect((await server.request(`/api/v1/users/${user.name}`, options)).status).toBe(200);
    };

    test.each([{ isAdmin: false }, { isDisabled: true }])(
      "is invalid after its creator was changed to %j",
      async (change) => {
        const former = await server.createUser(`former-${randomUUID().slice(0, 8)}`, {
          isAdmin: true,
        });
        const secrets = [await inviteUser(former, { isAdmin: true }), await inviteUser(former, {})];
        expect(await Promise.all(secrets.map(isOpen))).toEqual([true, true]);
        await updateUser(former, change);
        expect(await Promise.all(secrets.map(isOpen))).toEqual([false, false]);
      },
    );

    test("to an organisation is invalid once its creator is no longer an owner", async () => {
      const owner = await server.createUser("leaving");
      const { id: organisationId, name } = await makeOrganisation(server, owner, "left-behind");
      const secret = await inviteUser(owner, { organisationId });
      const isAdmin = await inviteUser(owner, { organisationId, isAdmin: true });
      expect([await isOpen(secret), await isOpen(isAdmin)]).toEqual([true, false]);
      const user = `/-/org/${name}/user`;
      const addOwner = { method: "PUT", as: owner, body: { user: admin.name, role: "owner" } };
      expect((await server.request(user, addOwner)).status).toBe(200);
      const leave = { method: "DELETE", as: owner, body: { user: owner.name } };
      expect((await server.request(user, leave)).status).toBe(204);
      expect(await isOpen(secret)).toBe(false);
    });
  });

  test("an unpublish error does not reveal the name of a private dependent", async () => {
    const ada = await server.createUser("ada");
    const eve = await server.createUser("eve");
    await publishOrThrow(server, "@ada/base", { as: ada });
    const packageJson = { dependencies: { "@ada/base": "1.0.0" } };
    await publishOrThrow(server, "@eve/secret", { as: eve, access: "restricted", packageJson });
    const refusal = async (): Promise<string> => {
      const document = await server.request("/@ada%2fbase?write=true", { as: ada });
      const { _rev } = (await document.json()) as { readonly _rev: string };
      const options = { method: "DELETE", as: ada };
      const response = await server.request(`/@ada%2fbase/-rev/${_rev}`, options);
      expect(response.status).toBe(403);
      return await response.text();
    };
    const hidden = await refusal();
    expect(hidden).not.toContain("secret");
    expect(hidden).toContain("1 other version on this hub depends on it");
    await publishOrThrow(server, "@ada/mine", { as: ada, access: "restricted", packageJson });
    expect(await refusal()).toContain("@ada/mine@1.0.0 depends on @ada/base@1.0.0");
  });

  test("stores build metadata only if it is short and printable", async () => {
    const grace = await server.createUser("grace");
    const { name } = await seedOwnPackage(server.hub, grace);
    const odd = ["x".repeat(2 ** 20), "a\0b", "half \uD800"];
    for (const [index, gitHead] of odd.entries()) {
      const version = `2.0.${index}`;
      const body = publishBody(name, { version });
      Object.assign(body.versions[version] ?? {}, { gitHead, _nodeVersion: "24.1.0" });
      const options = { method: "POST", as: grace, body };
      const response = await server.request(`/-/stage/package/${escapedName(name)}`, options);
      expect(response.status).toBe(201);
      const staged = server.hub.database.selectFrom("staged_versions").select("hints");
      const { hints } = await staged.where("version", "=", version).executeTakeFirstOrThrow();
      expect(hints).toEqual({ nodeVersion: "24.1.0" });
    }
  });
});
