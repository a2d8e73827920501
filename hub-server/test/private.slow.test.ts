import { randomUUID } from "node:crypto";

import { beforeAll, describe, expect, test } from "vitest";

import { bareApp, registerRoutes } from "../src/app.ts";
import { newToken, secretHash, tokenPreview } from "../src/identity/credentials/secret.ts";
import { type Browser, browser } from "./support/browser.ts";
import { databases } from "./support/hub.ts";
import { environmentManifest } from "./support/manifest.ts";
import { makeOrganisation } from "./support/organisation.ts";
import { makePerson } from "./support/person.ts";
import { publishOrThrow, publishBody } from "./support/publish.ts";
import { pushRun, testRollout, testRun } from "./support/runs.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const hidden = "@vault/zebra-fish";
/** A missing package with a name of the same length, so that `content-length` cannot distinguish them. */
const absent = "@vault/hippogriff";

interface Route {
  readonly method: string;
  readonly url: string;
}

/** The package, its staged version and its run that requests are about. */
interface Target {
  readonly name: string;
  readonly stageId: string;
  readonly runId: string;
}

/** The value of a route's parameter. A new parameter needs a value here. */
function filling(place: string, { name, stageId, runId }: Target): string {
  const [scope = "", bare = ""] = name.split("/");
  const values: Readonly<Record<string, string>> = {
    scope,
    name: bare,
    version: "1.0.0",
    tag: "latest",
    file: `${bare}-1.0.0.tgz`,
    rev: "1-0",
    period: "last-week",
    user: "alice",
    provider: "github",
    organisation: "vault",
    team: "developers",
    id: stageId,
    act: stageId,
    run: runId,
    part: "0",
    position: "0",
    row: "0",
    from: "1.0.0",
    to: "1.0.0",
    range: "1.0.0...1.0.0",
  };
  const value = values[place];
  if (value === undefined)
    throw new Error(
      `A route has the parameter :${place}. Add a value for it in private.slow.test.ts.`,
    );
  return value;
}

/** Whether a route is a page of packages or runs. */
function isPage(url: string): boolean {
  return /^\/(?:package|run)\//.test(url);
}

/** A route's path for a target: `:scope/:name` takes two segments, `:name` alone takes one. */
function addressOf({ url }: Route, target: Target): string {
  const isWhole = !url.includes(":scope");
  const path = url
    .replaceAll("(^@[^/]+$)", "")
    .replaceAll("*", "package.json")
    .replaceAll(/:([a-z]+)/gi, (_, place: string) =>
      place === "name" && isWhole ? encodeURIComponent(target.name) : filling(place, target),
    );
  if (path.endsWith("/reward-diff")) return `${path}?from=1.0.0&to=1.0.0`;
  return path.includes("/attestations/") ? `${path}@1.0.0` : path;
}

/** A body that is valid up to the permission check. Other routes get an empty object. */
function bodyOf({ method, url }: Route, { name }: Target): unknown {
  if (method === "GET" || method === "HEAD") return undefined;
  const isDocument = /^\/(?::scope[^/]*\/)?:name$|^\/-\/stage\/package/.test(url);
  if (isDocument) return publishBody(name, { version: "1.0.1" });
  if (url.endsWith("/dist-tags/:tag")) return "1.0.0";
  if (url.endsWith("/access")) return { access: "public" };
  if (url.endsWith("/owners")) return { user: "bob" };
  if (url.endsWith("/trust"))
    return [
      {
        type: "github",
        claims: { repository: "alice/demo", workflow_ref: { file: "release.yml" } },
        permissions: ["createPackage"],
      },
    ];
  if (url.endsWith("/-rev/:rev")) return { _id: name, name, maintainers: [{ name: "bob" }] };
  return {};
}

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  const alice = sharedUser(server, "alice");
  let stageId: string;
  let runId: string;
  let routes: readonly Route[];
  const strangers = new Map<string, { readonly token: string } | undefined>();

  beforeAll(async () => {
    strangers.set("an anonymous client", undefined);
    strangers.set("another user", await server.createUser("bob"));
    strangers.set("the owner's token for other packages", { token: await limitedToken() });
    strangers.set("a revoked token", { token: newToken() });
    await makeOrganisation(server, alice, "vault");
    stageId = await prepare();
    runId = await push();
    routes = await registered();
  });

  async function limitedToken(): Promise<string> {
    const token = newToken();
    await server.hub.database
      .insertInto("tokens")
      .values({
        id: randomUUID(),
        user_id: alice.id,
        secret_hash: secretHash(token),
        preview: tokenPreview(token),
        packages: ["@alice/other"],
        created_at: server.hub.clock(),
      })
      .execute();
    return token;
  }

  /** Makes the private package an environment and pushes a run of it; resolves to the run's id. */
  async function push(): Promise<string> {
    const { id } = await server.hub.database
      .selectFrom("versions")
      .innerJoin("packages", "packages.id", "versions.package_id")
      .where("packages.name", "=", hidden)
      .select("versions.id")
      .executeTakeFirstOrThrow();
    const manifest = JSON.stringify(environmentManifest(`sha256-${"0".repeat(64)}`));
    await server.hub.database
      .insertInto("environments")
      .values({ version_id: id, manifest })
      .execute();
    return await pushRun(server, alice, await testRun(server, hidden, [testRollout({})]));
  }

  /** Creates a private package with a README, an attestation, a star and a staged version; resolves to the latter's id. */
  async function prepare(): Promise<string> {
    await publishOrThrow(server, hidden, {
      as: alice,
      access: "restricted",
      files: { "README.md": "# Hidden" },
    });
    const { id } = await server.hub.database
      .selectFrom("versions")
      .innerJoin("packages", "packages.id", "versions.package_id")
      .where("packages.name", "=", hidden)
      .select("versions.id")
      .executeTakeFirstOrThrow();
    await server.hub.database
      .insertInto("attestations")
      .values({ version_id: id, predicate_type: "https://slsa.dev/provenance/v1", bundle: "{}" })
      .execute();
    const path = `/-/user/package/${hidden}/star`;
    await server.request(path, { method: "PUT", as: alice });
    const body = publishBody(hidden, { version: "2.0.0" });
    const staged = await server.request(`/-/stage/package/${hidden}`, {
      method: "POST",
      as: alice,
      body,
    });
    return ((await staged.json()) as { stageId: string }).stageId;
  }

  /** Lists every route of the hub. */
  async function registered(): Promise<Route[]> {
    const app = bareApp(server.hub);
    const allRoutes: Route[] = [];
    app.addHook("onRoute", ({ method, url }) => {
      for (const each of [method].flat()) allRoutes.push({ method: each, url });
    });
    await registerRoutes(app, server.hub);
    await app.close();
    // fetch refuses to send TRACE.
    return allRoutes.filter(({ method }) => method !== "TRACE");
  }

  /** The routes of programs, whose users have tokens. */
  const ofPackages = () =>
    routes.filter(
      ({ url }) =>
        (!isPage(url) &&
          /:(?:name|run)\b/.test(url.replace(/user:::name|^\/(?:user|org)\/:name/, ""))) ||
        url.startsWith("/-/stage/:id"),
    );

  /** The pages, whose users have sessions. */
  const pagesOfPackages = () =>
    routes.filter(
      ({ method, url }) => method === "GET" && isPage(url) && /:(?:name|run)\b/.test(url),
    );

  async function normalizedResponse(
    route: Route,
    target: Target,
    as?: { readonly token: string },
  ): Promise<string> {
    const body = bodyOf(route, target);
    const response = await server.request(addressOf(route, target), {
      method: route.method,
      ...(as === undefined ? {} : { as }),
      ...(body === undefined ? {} : { body }),
    });
    const headers = [...response.headers].filter(([name]) => name !== "date");
    const text = [response.status, JSON.stringify(headers), await response.text()].join("\n");
    return text
      .replaceAll(target.name, "@scope/name")
      .replaceAll(target.name.slice(7), "name")
      .replaceAll(encodeURIComponent(target.name), "@scope/name")
      .replaceAll(target.stageId, "an-id")
      .replaceAll(target.runId, "a-run");
  }

  test.each([
    "an anonymous client",
    "another user",
    "the owner's token for other packages",
    "a revoked token",
  ])("%s cannot distinguish a private package from a missing one on any route", async (client) => {
    const as = strangers.get(client);
    const target = { name: hidden, stageId, runId };
    const nothing = { name: absent, stageId: randomUUID(), runId: "0123456789abcdef" };
    expect(ofPackages().length).toBeGreaterThan(80);
    for (const route of ofPackages()) {
      const [there, notThere] = [
        await normalizedResponse(route, target, as),
        await normalizedResponse(route, nothing, as),
      ];
      const requests = `${route.method} ${route.url}`;
      expect(`${requests}\n${there}`).toBe(`${requests}\n${notThere}`);
      expect([requests, there.slice(0, 3)]).toEqual([requests, expect.stringMatching(/^40[0145]/)]);
      if (route.method === "GET" && as !== undefined && client !== "a revoked token")
        expect([requests, there.slice(0, 3)]).toEqual([requests, "404"]);
    }
  });

  test("neither a stranger nor another user can distinguish a private package from a missing one on any page", async () => {
    const person = await makePerson(server, "carol");
    const target = { name: hidden, stageId, runId };
    const nothing = { name: absent, stageId: randomUUID(), runId: "0123456789abcdef" };
    expect(pagesOfPackages().length).toBeGreaterThan(10);
    for (const tab of [browser(server), await person.signIn()])
      for (const route of pagesOfPackages()) {
        const [there, notThere] = [
          await normalizedPage(tab, route, target),
          await normalizedPage(tab, route, nothing),
        ];
        expect([route.url, there]).toEqual([route.url, notThere]);
      }
  });

  /** The text of a page after all redirects, without the tokens of its forms. */
  async function normalizedPage(tab: Browser, route: Route, target: Target): Promise<string> {
    const { status, html } = await tab.open(addressOf(route, target));
    return [status, html]
      .join("\n")
      .replaceAll(/(name="form" value=)"[^"]*"/g, "$1")
      .replaceAll(target.name, "@scope/name")
      .replaceAll(encodeURIComponent(target.name), "@scope/name")
      .replaceAll(encodeURIComponent(encodeURIComponent(target.name)), "@scope/name")
      .replaceAll(target.name.slice(7), "name")
      .replaceAll(target.runId, "a-run");
  }

  test("returns 200 to the owner on every GET route", async () => {
    const target = { name: hidden, stageId, runId };
    for (const route of ofPackages().filter(({ method }) => method === "GET"))
      expect([route.url, (await normalizedResponse(route, target, alice)).slice(0, 3)]).toEqual([
        route.url,
        // The package is an environment, not a suite.
        route.url.endsWith("/suite") ? "404" : "200",
      ]);
  });

  test("does not reveal a private package in lists", async () => {
    const queries = [
      "",
      "?text=zebra",
      "?key=%22alice%22",
      "?limit=1000",
      "?owner=vault",
      "?package=zebra",
    ];
    const target = { name: absent, stageId, runId };
    const lists = routes.filter(
      ({ method, url }) =>
        method === "GET" &&
        !/:(?:name|run|id|code|secret|key|token)\b/.test(url) &&
        !url.startsWith("/settings"),
    );
    expect(lists.length).toBeGreaterThan(20);
    for (const [client, as] of strangers)
      for (const route of lists)
        for (const query of queries) {
          const path = `${addressOf(route, target)}${query}`;
          const response = await server.request(path, as === undefined ? {} : { as });
          expect([client, path, await response.text()]).toEqual([
            client,
            path,
            expect.not.stringContaining("zebra-fish"),
          ]);
        }
    // The owner finds it: the queries match.
    const allRoutes = await server.request("/-/v1/search?text=zebra", { as: alice });
    expect(await allRoutes.text()).toContain("zebra-fish");
    const starred = await server.request("/-/user/alice/stars", { as: alice });
    expect(await starred.text()).toContain("zebra-fish");
  });

  test("does not reveal a private package on routes with its name in the body", async () => {
    const requests: readonly (readonly [string, string, (name: string) => unknown])[] = [
      ["PUT", "/-/user/v1/star", (name) => ({ package: name })],
      ["DELETE", "/-/user/v1/star", (name) => ({ package: name })],
      ["POST", "/-/npm/v1/security/advisories/bulk", (name) => ({ [name]: ["1.0.0"] })],
      ["PUT", "/-/pnpr/v0/publish", (name) => [publishBody(name, { version: "1.0.1" })]],
      [
        "PUT",
        "/-/team/vault/developers/package",
        (name) => ({ package: name, permissions: "read-only" }),
      ],
    ];
    for (const [client, as] of strangers)
      for (const [method, path, body] of requests) {
        const responses = [hidden, absent].map(async (name) => {
          const given = { method, body: body(name), ...(as === undefined ? {} : { as }) };
          const response = await server.request(path, given);
          return [
            client,
            path,
            response.status,
            (await response.text()).replaceAll(name, "@scope/name"),
          ];
        });
        const [there, notThere] = await Promise.all(responses);
        expect(there).toEqual(notThere);
      }
  });
});
