import { type HubClient, hubClient } from "@envs/hub-client";
import { beforeAll, describe, expect, test } from "vitest";

import { databases } from "./support/hub.ts";
import { escapedName, readDocument } from "./support/package-document.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("yanking and archiving on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  const eve = sharedUser(server, "eve");
  let client: HubClient;

  beforeAll(async () => {
    client = hubClient({ url: server.url, token: ada.token });
  });

  const events = async (id: number) =>
    (
      await server.hub.database
        .selectFrom("events")
        .where("package_id", "=", id)
        .orderBy("sequence")
        .select(["type", "subject"])
        .execute()
    ).map(({ type, subject }) => `${type} ${subject}`);

  test("hides a yanked version and still serves its tarball", async () => {
    const tarball = Buffer.from("bytes of a tarball");
    const { id, name } = await seedOwnPackage(server.hub, ada, {
      bare: "yanked",
      versions: ["1.0.0", { version: "1.1.0", tarball }],
    });
    const version = "1.1.0";
    expect(await client.yankVersion({ name, version })).toEqual({ name, version, isYanked: true });
    await client.yankVersion({ name, version });
    const document = await readDocument(server, name);
    expect(Object.keys(document.versions)).toEqual(["1.0.0"]);
    expect(document["dist-tags"]).toEqual({ latest: "1.0.0" });
    const served = await server.request(`/${name}/-/yanked-1.1.0.tgz`);
    expect(await served.text()).toBe("bytes of a tarball");
    expect(await client.unyankVersion({ name, version })).toMatchObject({ isYanked: false });
    expect(Object.keys((await readDocument(server, name)).versions)).toEqual(["1.0.0", "1.1.0"]);
    expect(await events(id)).toEqual([
      `version.yanked ${name}@1.1.0`,
      `tag.set ${name}`,
      `version.unyanked ${name}@1.1.0`,
    ]);
  });

  test("serves an archived package and rejects changes to it", async () => {
    const { id, name } = await seedOwnPackage(server.hub, ada, { bare: "archived" });
    expect(await client.archivePackage({ name })).toEqual({ name, isArchived: true });
    await client.archivePackage({ name });
    const document = await readDocument(server, name);
    expect(Object.keys(document.versions)).toEqual(["1.0.0"]);
    const rev = document._rev;
    const requests: [string, string, unknown?][] = [
      ["PUT", `/-/package/${name}/dist-tags/next`, "1.0.0"],
      ["DELETE", `/-/package/${name}/dist-tags/next`],
      ["PUT", `/-/package/${name}/owners`, { user: "eve" }],
      ["DELETE", `/-/package/${name}/owners/ada`],
      ["DELETE", `/${name}/-rev/${rev}`],
      ["DELETE", `/${name}/-/archived-1.0.0.tgz/-rev/${rev}`],
      ["PUT", `/${name}/-rev/${rev}`, { _rev: rev, maintainers: [{ name: "eve" }] }],
      ["PUT", `/${name}/-rev/${rev}`, { ...document, versions: {} }],
      ["PUT", `/api/v1/packages/${name}/versions/1.0.0/yank`],
    ];
    for (const [method, path, body] of requests) {
      const response = await server.request(path, { method, body, as: ada });
      expect([path, response.status, await response.json()]).toMatchObject([
        path,
        403,
        { code: "package-archived" },
      ]);
    }
    const star = { method: "PUT", body: { package: name }, as: eve };
    expect((await server.request("/-/user/v1/star", star)).status).toBe(200);
    expect(await client.unarchivePackage({ name })).toEqual({ name, isArchived: false });
    const tag = { method: "PUT", body: "1.0.0", as: ada };
    expect((await server.request(`/-/package/${name}/dist-tags/next`, tag)).status).toBe(201);
    expect(await events(id)).toEqual([
      `package.archived ${name}`,
      `package.unarchived ${name}`,
      `tag.set ${name}`,
    ]);
  });

  test("lets writers yank and only owners archive, and returns 404 for a private package", async () => {
    const { id, name } = await seedOwnPackage(server.hub, ada, { bare: "rights" });
    const theirs = hubClient({ url: server.url, token: eve.token });
    const refused = { status: 403 };
    await expect(theirs.yankVersion({ name, version: "1.0.0" })).rejects.toMatchObject(refused);
    await server.hub.database
      .insertInto("package_users")
      .values({ package_id: id, user_id: eve.id, permission: "write", is_maintainer: true })
      .execute();
    await expect(theirs.yankVersion({ name, version: "1.0.0" })).resolves.toBeDefined();
    await expect(theirs.archivePackage({ name })).rejects.toMatchObject(refused);
    const hidden = await seedOwnPackage(server.hub, ada, { bare: "hidden", access: "restricted" });
    const path = `/api/v1/packages/${escapedName(hidden.name)}`;
    for (const end of ["archive", "versions/1.0.0/yank"])
      for (const method of ["PUT", "DELETE"])
        expect((await server.request(`${path}/${end}`, { method, as: eve })).status).toBe(404);
    await expect(client.yankVersion({ name, version: "9.9.9" })).rejects.toMatchObject({
      status: 404,
    });
  });
});
