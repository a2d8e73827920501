import { beforeAll, describe, expect, test } from "vitest";

import { isToken } from "../src/identity/credentials/secret.ts";
import { databases } from "./support/hub.ts";
import { makePerson, password, type Person, enableSecondFactor } from "./support/person.ts";
import { seedPackage } from "./support/seed-package.ts";
import { sharedHub } from "./support/shared-hub.ts";

const path = "/-/npm/v1/tokens";

interface CreatedToken {
  readonly token: string;
  readonly key: string;
  readonly [field: string]: unknown;
}

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  let ada: Person;

  beforeAll(async () => {
    ada = await makePerson(server, "ada");
    const owner = { owner: ada };
    await seedPackage(server.hub, "@ada/open", owner);
    await seedPackage(server.hub, "@ada/secret", { ...owner, access: "restricted" });
    await seedPackage(server.hub, "@ada/hidden", { ...owner, access: "restricted" });
  });

  const create = (body: object, as: { readonly token: string } = ada): Promise<Response> =>
    server.request(path, { method: "POST", as, body: { password, ...body } });
  const createOrThrow = async (body: object): Promise<CreatedToken> => {
    const response = await create(body);
    expect(response.status).toBe(200);
    return (await response.json()) as CreatedToken;
  };
  const whoami = async (token: string): Promise<number> =>
    (await server.request("/-/whoami", { as: { token } })).status;

  test("shows a token once, and only its prefix in the list", async () => {
    const { token, key, ...rest } = await createOrThrow({
      name: "for a machine",
      description: "builds",
    });
    expect(isToken(token)).toBe(true);
    expect(rest).toMatchObject({
      name: "for a machine",
      description: "builds",
      readonly: false,
      cidr_whitelist: null,
      created: expect.any(String),
      updated: expect.any(String),
      expires: null,
    });
    const response = await server.request(path, { as: ada });
    const list = (await response.json()) as {
      objects: CreatedToken[];
      total: number;
      urls: object;
    };
    const entry = list.objects.find((each) => each.key === key);
    expect(token.startsWith(entry?.token ?? "?")).toBe(true);
    expect(entry?.token).toHaveLength(9);
    expect(list.urls).toEqual({});
    const rows = await server.hub.database.selectFrom("tokens").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test("pages the list without next links", async () => {
    const person = await makePerson(server, "paula");
    for (const name of ["one", "two", "three"]) await create({ name }, person);
    const page = async (
      query: string,
    ): Promise<{ names: unknown[]; total: number; urls: object }> => {
      const response = await server.request(`${path}?${query}`, { as: person });
      const { objects, ...rest } = (await response.json()) as {
        objects: CreatedToken[];
        total: number;
        urls: object;
      };
      return { names: objects.map(({ name }) => name), ...rest };
    };
    expect(await page("page=0&perPage=2")).toEqual({ names: ["three", "two"], total: 4, urls: {} });
    expect((await page("page=1&perPage=2")).names).toEqual(["one", "made by a test"]);
    expect((await server.request(`${path}?page=x`, { as: person })).status).toBe(400);
  });

  test("creating a token needs the password", async () => {
    const wrong = await create({ password: "wrong horse battery" });
    expect([wrong.status, await wrong.json()]).toMatchObject([401, { code: "wrong-login" }]);
    expect((await create({ password: undefined })).status).toBe(401);
  });

  test("a web client creates a token with an approval instead of the password", async () => {
    const headers = { "npm-auth-type": "web" };
    const createByWeb = (more: Record<string, string> = {}): Promise<Response> =>
      server.request(path, {
        method: "POST",
        as: ada,
        body: { name: "web" },
        headers: { ...headers, ...more },
      });
    const { authUrl, doneUrl } = (await (await createByWeb()).json()) as {
      authUrl: string;
      doneUrl: string;
    };
    const tab = await ada.signIn();
    await tab.open(new URL(authUrl).pathname);
    await tab.press("Approve");
    const { token: pass } = (await (await fetch(doneUrl)).json()) as { token: string };
    expect((await createByWeb({ "npm-otp": "a guess" })).status).toBe(401);
    expect((await createByWeb({ "npm-otp": pass })).status).toBe(200);
  });

  test("creating and revoking need a code with a second factor, also for bypass tokens", async () => {
    const person = await makePerson(server, "second");
    const app = await enableSecondFactor(server, person);
    expect((await create({ bypass_2fa: true }, person)).headers.get("www-authenticate")).toBe(
      "OTP",
    );
    const response = await server.request(path, {
      method: "POST",
      as: person,
      body: { password, bypass_2fa: true },
      headers: { "npm-otp": app.code() },
    });
    const bypassing = (await response.json()) as CreatedToken;
    expect(bypassing["bypass_2fa"]).toBe(true);
    const change = { method: "POST", as: bypassing, body: { fullname: "Robot" } };
    expect((await server.request("/-/npm/v1/user", change)).status).toBe(200);
    const revoke = await server.request(`${path}/token/${bypassing.key}`, {
      method: "DELETE",
      as: bypassing,
    });
    expect([revoke.status, revoke.headers.get("www-authenticate")]).toEqual([401, "OTP"]);
  });

  test("revokes a token by key, prefix or secret with immediate effect", async () => {
    const [one, two, three] = [
      await createOrThrow({}),
      await createOrThrow({}),
      await createOrThrow({}),
    ];
    const revoke = (key: string): Promise<Response> =>
      server.request(`${path}/token/${key}`, { method: "DELETE", as: ada });
    expect(await whoami(one.token)).toBe(200);
    expect((await revoke(one.key)).status).toBe(204);
    expect((await revoke(two.key.slice(0, 13))).status).toBe(204);
    expect((await revoke(three.token)).status).toBe(204);
    expect(await Promise.all([one, two, three].map(({ token }) => whoami(token)))).toEqual([
      401, 401, 401,
    ]);
    expect((await revoke(one.key)).status).toBe(404);
    expect((await revoke("%00%00%00%00%00%00%00")).status).toBe(404);
  });

  test("cannot revoke another user's token", async () => {
    const { token, key } = await createOrThrow({});
    const stranger = await makePerson(server, "stranger");
    const revoke = await server.request(`${path}/token/${key}`, { method: "DELETE", as: stranger });
    expect(revoke.status).toBe(404);
    expect(await whoami(token)).toBe(200);
  });

  test("a token expires", async () => {
    const { token, expires } = await createOrThrow({ expires: 2 });
    expect(new Date(String(expires)).getTime()).toBeGreaterThan(server.hub.clock().getTime());
    expect(await whoami(token)).toBe(200);
    server.advanceClock(2 * 86_400_000);
    const response = await server.request("/-/whoami", { as: { token } });
    expect([response.status, await response.text()]).toEqual([
      401,
      expect.stringContaining("expired"),
    ]);
  });

  test("a read-only token cannot change anything", async () => {
    const readonly = await createOrThrow({ readonly: true });
    const other = await createOrThrow({ packages_and_scopes_permission: "read-only" });
    expect(other["readonly"]).toBe(true);
    expect((await server.request("/@ada%2fsecret", { as: readonly })).status).toBe(200);
    const writes = await Promise.all([
      create({}, readonly),
      server.request("/-/npm/v1/user", { method: "POST", as: readonly, body: { fullname: "x" } }),
      server.request("/@ada%2fsecret", { method: "PUT", as: readonly, body: {} }),
      server.request("/-/package/@ada%2fsecret/dist-tags/next", {
        method: "PUT",
        as: readonly,
        body: "1.0.0",
      }),
    ]);
    expect(writes.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  test("a token limited to packages cannot read other private packages or the account", async () => {
    const one = await createOrThrow({ packages: ["@ada/secret"] });
    const read = async (name: string, as: CreatedToken): Promise<number> =>
      (await server.request(`/${name.replace("/", "%2f")}`, { as })).status;
    expect(await read("@ada/secret", one)).toBe(200);
    expect(await read("@ada/open", one)).toBe(200);
    expect(await read("@ada/hidden", one)).toBe(404);
    expect((await create({}, one)).status).toBe(403);
    const scope = await createOrThrow({ scopes: ["@ada"] });
    expect(await read("@ada/hidden", scope)).toBe(200);
    const nothing = await createOrThrow({ packages_and_scopes_permission: "no-access" });
    expect(await read("@ada/secret", nothing)).toBe(404);
  });

  test("a token works only from its IP ranges", async () => {
    const here = await createOrThrow({ cidr_whitelist: ["127.0.0.0/8", "::1"] });
    const elsewhere = await createOrThrow({ cidr_whitelist: ["192.0.2.0/24"] });
    expect(await whoami(here.token)).toBe(200);
    const response = await server.request("/-/whoami", { as: elsewhere });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "ipaddress"]);
  });

  test.each([
    [{ expires: 0 }, "expires"],
    [{ cidr_whitelist: ["300.0.0.0/8"] }, "range"],
    [{ cidr_whitelist: ["10.0.0.0/33"] }, "range"],
    [{ packages: ["not a name"] }, "not a valid package name"],
    [{ scopes: ["@Not"] }, "not a valid scope"],
    [{ packages_and_scopes_permission: "read-write-stage-only" }, "does not support"],
    [
      { orgs: ["ada"], orgs_permission: "read-only", packages_and_scopes_permission: "read-write" },
      "different permissions for packages and organisations",
    ],
  ])("rejects an invalid token limit: %j", async (body, why) => {
    const response = await create(body);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(why)]);
  });

  test("the page lists and revokes tokens", async () => {
    const { token } = await createOrThrow({ name: "laptop" });
    const tab = await ada.signIn();
    const page = await tab.open("/settings/tokens");
    expect(page.text).toContain("laptop");
    expect(page.html).not.toContain(token);
    expect((await tab.press("Revoke laptop")).text).toContain("Token revoked.");
    expect(await whoami(token)).toBe(401);
  });
});
