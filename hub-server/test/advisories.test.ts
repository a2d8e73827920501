import { hubClient, type HubRequestError, type RouteInput, type routes } from "@envs/hub-client";
import { beforeAll, describe, expect, test } from "vitest";

import { databases, type TestUser } from "./support/hub.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub } from "./support/shared-hub.ts";

const leak: Omit<RouteInput<typeof routes.publishAdvisory>, "name"> = {
  title: "The reward leaks the answer",
  overview: "It stands in the prompt.\n\nTrain again with 0.3.2.",
  severity: "high",
  vulnerableVersions: "<=0.3.1",
  patchedVersions: ">=0.3.2",
  cwe: ["CWE-200"],
};

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  let ada: TestUser;
  let grace: TestUser;
  beforeAll(async () => {
    [ada, grace] = [await server.createUser("ada"), await server.createUser("grace")];
    await seedOwnPackage(server.hub, ada, { bare: "chess" });
    await seedOwnPackage(server.hub, ada, { bare: "secret", access: "restricted" });
  });

  const as = (user?: TestUser) =>
    hubClient({ url: server.url, ...(user && { token: user.token }) });
  const refusal = async (call: Promise<unknown>): Promise<unknown> =>
    await call.then(
      () => "no refusal",
      ({ status, code }: HubRequestError) => `${status} ${code}`,
    );

  test("a package administrator publishes an advisory that every client reads", async () => {
    const published = await as(ada).publishAdvisory({ name: "@ada/chess", ...leak });
    expect(published).toEqual({
      id: expect.any(Number),
      package: "@ada/chess",
      ...leak,
      url: `${server.url}/advisories/${published.id}`,
      createdBy: "ada",
      createdAt: expect.any(String),
      updatedAt: published.createdAt,
      withdrawnAt: null,
    });
    expect(await as().readAdvisory({ id: published.id })).toEqual(published);
    expect((await as().listAdvisories({ name: "@ada/chess" })).items).toEqual([published]);
    const events = await server.hub.database
      .selectFrom("events")
      .where("type", "=", "advisory.published")
      .select(["actor", "subject", "detail"])
      .execute();
    expect(events).toEqual([
      {
        actor: "ada",
        subject: "@ada/chess",
        detail: {
          id: published.id,
          title: leak.title,
          severity: "high",
          vulnerableVersions: "<=0.3.1",
        },
      },
    ]);
  });

  test("shows an advisory as a page", async () => {
    const { url, id } = await as(ada).publishAdvisory({
      name: "@ada/chess",
      ...leak,
      title: "<script>alert(1)</script>",
    });
    const page = await fetch(url);
    const html = await page.text();
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(html).toContain("&lt;script&gt;");
    expect(html).not.toContain("<script>");
    expect(html).toContain("<p>Train again with 0.3.2.</p>");
    await as(ada).withdrawAdvisory({ name: "@ada/chess", id });
    expect(await (await fetch(url)).text()).toContain("was withdrawn");
    for (const other of ["999999", "0", "x", "1e400"])
      expect((await fetch(`${server.url}/advisories/${other}`)).status, other).toBe(404);
  });

  test("withdrawing records the time, is idempotent and appends an event", async () => {
    const name = "@ada/chess";
    const { id } = await as(ada).publishAdvisory({ name, ...leak });
    const withdrawn = await as(ada).withdrawAdvisory({ name, id });
    expect(withdrawn.withdrawnAt).toEqual(expect.any(String));
    server.advanceClock(60_000);
    expect(await as(ada).withdrawAdvisory({ name, id })).toEqual(withdrawn);
    const rows = await server.hub.database
      .selectFrom("events")
      .where("type", "=", "advisory.withdrawn")
      .select("detail")
      .execute();
    expect(rows.filter(({ detail }) => detail["id"] === id)).toHaveLength(1);
  });

  test("only package administrators and hub administrators publish and withdraw advisories", async () => {
    const name = "@ada/chess";
    const { id } = await as(ada).publishAdvisory({ name, ...leak });
    expect(await refusal(as().publishAdvisory({ name, ...leak }))).toBe("401 unauthorized");
    expect(await refusal(as(grace).publishAdvisory({ name, ...leak }))).toBe("403 forbidden");
    expect(await refusal(as(grace).withdrawAdvisory({ name, id }))).toBe("403 forbidden");
    const root = await server.createUser("root", { isAdmin: true });
    expect(await as(root).withdrawAdvisory({ name, id })).toMatchObject({ id });
    expect(await as(root).publishAdvisory({ name, ...leak })).toMatchObject({ createdBy: "root" });
  });

  test("withdraws an advisory only under its own package", async () => {
    const { id } = await as(ada).publishAdvisory({ name: "@ada/chess", ...leak });
    const withdrawal = as(ada).withdrawAdvisory({ name: "@ada/secret", id });
    expect(await refusal(withdrawal)).toBe("404 not-found");
    expect(await as().readAdvisory({ id })).toMatchObject({ withdrawnAt: null });
  });

  test("shows advisories of a private package only to its readers", async () => {
    const name = "@ada/secret";
    const { id, url } = await as(ada).publishAdvisory({ name, ...leak });
    expect(url).toBe(`${server.url}/advisories/${id}`);
    expect((await fetch(url)).status).toBe(404);
    expect(await as(ada).readAdvisory({ id })).toMatchObject({ package: name });
    for (const stranger of [as(), as(grace)]) {
      expect(await refusal(stranger.readAdvisory({ id }))).toBe("404 not-found");
      expect(await refusal(stranger.listAdvisories({ name }))).toBe("404 not-found");
      expect(await refusal(stranger.withdrawAdvisory({ name, id }))).toMatch(/^40[14] /);
    }
    expect((await fetch(`${server.url}/advisories/${id}`)).status).toBe(404);
  });

  test("rejects an advisory without a title, a known severity or a version range", async () => {
    const publish = (odd: object): Promise<unknown> =>
      refusal(as(ada).publishAdvisory({ name: "@ada/chess", ...leak, ...odd }));
    expect(await publish({ title: " " })).toBe("400 invalid-request");
    expect(await publish({ severity: "awful" })).toBe("400 invalid-request");
    expect(await publish({ vulnerableVersions: "all of them" })).toBe("400 invalid-range");
    expect(await publish({ patchedVersions: "soon" })).toBe("400 invalid-range");
    expect(await publish({ cwe: ["200"] })).toBe("400 invalid-request");
    expect(await publish({ cvss: 9 })).toBe("400 invalid-request");
  });
});
