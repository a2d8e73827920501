import { beforeAll, describe, expect, test } from "vitest";

import { type Browser } from "./support/browser.ts";
import { databases, type TestUser } from "./support/hub.ts";
import { makePerson, type Person } from "./support/person.ts";
import { publishOrThrow } from "./support/publish.ts";
import { sharedHub } from "./support/shared-hub.ts";

describe.each(databases)("the log on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  let ada: Person;
  let root: Person;
  let eve: TestUser;
  let owner: Browser;

  beforeAll(async () => {
    ada = await makePerson(server, "ada");
    root = await makePerson(server, "root-user", { isAdmin: true });
    eve = await server.createUser("eve");
    await publishOrThrow(server, "@ada/chess", { as: ada });
    await publishOrThrow(server, "@ada/secret", { as: ada, access: "restricted" });
    owner = await ada.signIn();
  });

  const events = async (query: string, as?: TestUser): Promise<readonly LoggedEvent[]> => {
    const response = await server.request(`/-/events?limit=1000&${query}`, as && { as });
    return ((await response.json()) as { readonly items: readonly LoggedEvent[] }).items;
  };

  test("marks the changes of an administrator in a package of another user", async () => {
    const archive = (as: TestUser, undo = false) =>
      server.request(`/api/v1/packages/@ada%2fchess/archive`, {
        method: undo ? "DELETE" : "PUT",
        as,
      });
    expect((await archive(root)).status).toBe(200);
    expect((await archive(ada, true)).status).toBe(200);
    await publishOrThrow(server, "@ada/chess", { as: root, version: "2.0.0" });
    await publishOrThrow(server, "@ada/planted", { as: root });
    const log = await events("package=@ada/chess", ada);
    expect(log.map(({ type, actor, detail }) => [type, actor, detail.byAdministrator])).toEqual([
      ["package.created", "ada", undefined],
      ["version.published", "ada", undefined],
      ["package.archived", "root-user", true],
      ["package.unarchived", "ada", undefined],
      ["version.published", "root-user", true],
    ]);
    const [created] = await events("package=@ada/planted");
    expect(created).toMatchObject({ type: "package.created", detail: { byAdministrator: true } });
    const page = await owner.open("/package/@ada/chess/settings/log");
    expect(page.text).toContain("Archived @ada/chess by root-user administrator of this hub");
    expect(page.text).toContain("Administrators of this hub may read and change every package");
  });

  test("does not mark an administrator's own packages", async () => {
    await publishOrThrow(server, "@root-user/own", { as: root });
    const log = await events("package=@root-user/own");
    expect(log.map(({ detail }) => detail.byAdministrator)).toEqual([undefined, undefined]);
  });

  test("marks the changes of an administrator in an organisation of others", async () => {
    await server.request("/api/v1/organisations", {
      method: "POST",
      as: ada,
      body: { name: "word-games" },
    });
    await server.request("/-/org/word-games/user", {
      method: "PUT",
      as: root,
      body: { user: "eve", role: "developer" },
    });
    const log = await events("account=word-games", ada);
    expect(log.at(-1)).toMatchObject({
      type: "member.added",
      actor: "root-user",
      detail: { user: "eve", byAdministrator: true },
    });
    expect((await owner.open("/org/word-games/log")).text).toContain(
      "Added eve to word-games as developer by root-user administrator of this hub",
    );
  });

  test("has the changes of an account, which only its user and administrators see", async () => {
    const change = { method: "PATCH", as: root, body: { hasSecondFactor: false } };
    expect((await server.request("/api/v1/users/ada", change)).status).toBe(200);
    const expected = {
      type: "user.changed",
      actor: "root-user",
      subject: "ada",
      detail: { hasSecondFactor: false },
    };
    expect((await events("account=ada", ada)).at(-1)).toMatchObject(expected);
    expect((await events("account=ada", root)).at(-1)).toMatchObject(expected);
    expect(await events("account=ada", eve)).toEqual([]);
    expect((await owner.open("/settings/log")).text).toContain(
      "Changed the account ada by root-user",
    );
  });

  test("does not reveal a private package, not even that it has events", async () => {
    expect(await events("package=@ada/secret")).toEqual([]);
    expect(await events("package=@ada/secret", eve)).toEqual([]);
    expect(await events("package=@ada/secret", ada)).toHaveLength(2);
    const stranger = await (await makePerson(server, "mallory")).signIn();
    expect((await stranger.open("/package/@ada/chess/settings/log")).status).toBe(403);
    expect((await stranger.open("/package/@ada/secret/settings/log")).status).toBe(404);
  });
});

interface LoggedEvent {
  readonly type: string;
  readonly actor: string | null;
  readonly detail: { readonly byAdministrator?: boolean };
}
