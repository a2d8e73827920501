import { randomUUID } from "node:crypto";

import type { JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { readSettings } from "../src/platform/config/read-settings.ts";
import { anyDatabase, databases, type TestHub, testHub, type TestUser } from "./support/hub.ts";
import { type Issuer, startIssuer } from "./support/issuer.ts";
import { makeOrganisation, makePackage } from "./support/organisation.ts";
import { publish, publishBody } from "./support/publish.ts";
import { statusAndBody } from "./support/response.ts";

const minute = 60_000;
const audience = "npm:localhost";

const onGitHub = {
  type: "github",
  claims: { repository: "alice/demo", workflow_ref: { file: "release.yml" } },
  permissions: ["createPackage"],
};

/** The claims of GitHub's id token for a build in `alice/demo`. */
function build(claims: JWTPayload = {}): JWTPayload {
  return {
    aud: audience,
    jti: randomUUID(),
    sub: "repo:alice/demo:ref:refs/heads/main",
    repository: "alice/demo",
    repository_id: "11",
    repository_owner_id: "22",
    workflow_ref: "alice/demo/.github/workflows/release.yml@refs/heads/main",
    ...claims,
  };
}

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer[Symbol.asyncDispose]());

describe.each(databases)("on the %s database", (kind) => {
  let server: TestHub;
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    const { url, keys } = issuer;
    const HUB_OIDC_ISSUERS = [
      `github ${url} ${keys}`,
      `gitlab ${url}/gitlab ${keys}`,
      `circleci ${url}/org/{org} ${keys}`,
    ].join(", ");
    server = await testHub(kind, { HUB_HOST: "localhost", HUB_OIDC_ISSUERS });
    alice = await server.createUser("alice");
    bob = await server.createUser("bob");
  });
  afterAll(() => server.close());

  const trust = (name: string, configuration: unknown = onGitHub, as = alice) =>
    statusAndBody(
      server.request(`/-/package/${name}/trust`, { method: "POST", as, body: [configuration] }),
    );
  const list = (name: string, as = alice) =>
    statusAndBody(server.request(`/-/package/${name}/trust`, { as }));
  const exchange = (name: string, token: string) =>
    statusAndBody(
      server.request(`/-/npm/v1/oidc/token/exchange/package/${name.replace("/", "%2f")}`, {
        method: "POST",
        as: { token },
      }),
    );
  const exchanged = async (name: string, claims: JWTPayload = build()) =>
    await exchange(name, await issuer.sign(claims, { at: server.hub.clock() }));

  /** A client with the token of a build. */
  async function runner(name: string, claims?: JWTPayload): Promise<TestUser> {
    const [status, body] = await exchanged(name, claims);
    expect([status, body]).toEqual([201, { token: expect.stringMatching(/^envh_/) }]);
    return { ...alice, token: (body as { token: string }).token };
  }

  async function publishVersion(
    name: string,
    number: string,
    as: TestUser = alice,
  ): Promise<number> {
    return (await publish(server, name, { as, version: number })).status;
  }

  test("a trusted build publishes, and npm lists the trusted publishers", async () => {
    const name = "@alice/released";
    await publishVersion(name, "1.0.0");
    const [status, publishers] = await trust(name);
    expect([status, publishers]).toEqual([201, [{ ...onGitHub, id: expect.any(String) }]]);
    expect(await list(name)).toEqual([200, publishers]);
    expect(await publishVersion(name, "1.0.1", await runner(name))).toBe(201);
    const events = await server.hub.database
      .selectFrom("events")
      .where("subject", "=", name)
      .where("type", "in", ["trust.added", "trust.used", "trust.removed"])
      .orderBy("sequence")
      .select(["type", "actor"])
      .execute();
    expect(events).toEqual([
      { type: "trust.added", actor: "alice" },
      { type: "trust.used", actor: "alice" },
    ]);
  });

  test("a build's token can only publish and tag its package, for 15 minutes", async () => {
    const name = "@alice/narrow";
    await publishVersion(name, "1.0.0");
    await publishVersion("@alice/beside", "1.0.0");
    await trust(name);
    const as = await runner(name);
    expect(await publishVersion(name, "1.0.1", as)).toBe(201);
    expect(await publishVersion("@alice/beside", "1.0.1", as)).toBe(403);
    expect(await publishVersion("@alice/brand-new", "1.0.0", as)).toBe(404);
    const tag = { method: "PUT", as, body: "1.0.0" };
    expect((await server.request(`/-/package/${name}/dist-tags/beta`, tag)).status).toBe(201);
    const forbiddenRequests = [
      ["GET", "/-/whoami"],
      ["GET", "/-/npm/v1/user"],
      ["GET", "/-/npm/v1/tokens"],
      ["GET", `/-/package/${name}/trust`],
      ["POST", `/-/package/${name}/access`, { access: "restricted" }],
      ["POST", "/api/v1/organisations", { name: "made-by-a-build" }],
      ["PUT", `/-/user/package/${name}/star`],
    ] as const;
    for (const [method, path, body] of forbiddenRequests) {
      const options = { method, as, ...(body === undefined ? {} : { body }) };
      expect([path, (await server.request(path, options)).status]).toEqual([path, 403]);
    }
    server.advanceClock(15 * minute);
    expect(await publishVersion(name, "1.0.2", as)).toBe(401);
  });

  test("rejects a build of another repository, workflow or environment", async () => {
    const name = "@alice/guarded";
    const inProduction = { ...onGitHub.claims, environment: "production" };
    await trust(name, { ...onGitHub, claims: inProduction });
    const workflows = "alice/demo/.github/workflows";
    const others: JWTPayload[] = [
      { repository: "mallory/demo" },
      {
        repository: "mallory/demo",
        workflow_ref: "mallory/demo/.github/workflows/release.yml@refs/heads/main",
      },
      { workflow_ref: `${workflows}/test.yml@refs/heads/main` },
      { workflow_ref: `${workflows}/release.yml.yml@refs/heads/main` },
      { workflow_ref: `${workflows}/x/release.yml@refs/heads/main` },
      { workflow_ref: `${workflows}/release.yml` },
      { workflow_ref: undefined },
      { environment: "staging" },
      { environment: undefined },
    ];
    for (const claims of others)
      expect(await exchanged(name, build({ environment: "production", ...claims }))).toMatchObject([
        404,
        { code: "not-trusted", message: expect.stringContaining("trusted publisher that matches") },
      ]);
    await runner(name, build({ environment: "production" }));
  });

  test("compares repositories and environments without case", async () => {
    const name = "@alice/capitals";
    await trust(name, { ...onGitHub, claims: { ...onGitHub.claims, environment: "Production" } });
    const claims = build({
      repository: "Alice/Demo",
      workflow_ref: "Alice/Demo/.github/workflows/release.yml@refs/heads/main",
      environment: "production",
    });
    expect((await exchanged(name, claims))[0]).toBe(201);
  });

  test("rejects a repository that was deleted and created again", async () => {
    const name = "@alice/reborn";
    await trust(name);
    await runner(name);
    await runner(name);
    for (const claims of [{ repository_id: "12" }, { repository_owner_id: "23" }])
      expect(await exchanged(name, build(claims))).toMatchObject([404, { code: "not-trusted" }]);
  });

  test("exchanges an id token once", async () => {
    const name = "@alice/once";
    await trust(name);
    const token = await issuer.sign(build(), { at: server.hub.clock() });
    const both = await Promise.all([exchange(name, token), exchange(name, token)]);
    expect(both.map(([status]) => status).sort()).toEqual([201, 403]);
    expect(await exchange(name, token)).toMatchObject([403, { code: "id-token-used" }]);
    const { jti: _, ...withoutNumber } = build();
    const unnumbered = await issuer.sign(withoutNumber, { at: server.hub.clock() });
    expect((await exchange(name, unnumbered))[0]).toBe(201);
    expect((await exchange(name, unnumbered))[0]).toBe(403);
  });

  test("rejects a forged or expired id token and one for another registry", async () => {
    const name = "@alice/strict";
    await trust(name);
    const at = server.hub.clock();
    const hourAgo = new Date(at.getTime() - 60 * minute);
    const wrong = [
      [await issuer.sign(build(), { at, isForged: true }), "is not valid"],
      [await issuer.sign(build(), { at: hourAgo }), "has expired"],
      [await issuer.sign(build({ aud: "npm:example.com" }), { at }), audience],
      [await issuer.sign(build({ iss: "https://example.com" }), { at }), "HUB_OIDC_ISSUERS"],
      [await issuer.sign(build({ iss: `${issuer.url}/org/../` }), { at }), "HUB_OIDC_ISSUERS"],
      [
        `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(build({ iss: issuer.url }))).toString("base64url")}.`,
        "is not valid",
      ],
      ["not-a-token", "an id token (a JWT)"],
      [alice.token, "an id token (a JWT)"],
    ] as const;
    for (const [token, message] of wrong)
      expect(await exchange(name, token)).toEqual([
        401,
        expect.objectContaining({ error: expect.stringContaining(message) }),
      ]);
    const anonymous = server.request(`/-/npm/v1/oidc/token/exchange/package/${name}`, {
      method: "POST",
    });
    expect((await anonymous).status).toBe(401);
    const others = {
      method: "POST",
      as: { token: await issuer.sign(build({ aud: "npm:example.com" }), { at }) },
      headers: { host: "example.com", "x-forwarded-host": "example.com" },
    };
    expect(
      (await server.request(`/-/npm/v1/oidc/token/exchange/package/${name}`, others)).status,
    ).toBe(401);
  });

  test("removing a trusted publisher revokes its tokens", async () => {
    const name = "@alice/revoked";
    const [, publishers] = await trust(name);
    const [{ id } = { id: "" }] = publishers as { id: string }[];
    const as = await runner(name);
    const remove = (by: TestUser, which = id) =>
      statusAndBody(
        server.request(`/-/package/${name}/trust/${which}`, { method: "DELETE", as: by }),
      );
    expect((await remove(bob))[0]).toBe(404);
    expect((await remove(alice, "1"))[0]).toBe(404);
    expect((await remove(alice, randomUUID()))[0]).toBe(404);
    expect((await remove(alice))[0]).toBe(204);
    expect(await publishVersion(name, "1.0.0", as)).toBe(401);
    expect(await exchanged(name)).toMatchObject([404, { code: "not-trusted" }]);
  });

  test("a build loses its permission when the user who added the trust loses theirs", async () => {
    const organisation = await makeOrganisation(server, alice, "leavers");
    await server.request("/-/org/leavers/user", {
      method: "PUT",
      as: alice,
      body: { user: "bob", role: "admin" },
    });
    const { name } = await makePackage(server, "@leavers/thing", { organisation, creator: alice });
    expect((await trust(name, onGitHub, bob))[0]).toBe(201);
    const as = await runner(name);
    await server.request("/-/org/leavers/user", {
      method: "DELETE",
      as: alice,
      body: { user: "bob" },
    });
    expect(await exchanged(name)).toMatchObject([
      403,
      { message: expect.stringContaining(`bob, who may not publish ${name}`) },
    ]);
    expect([403, 404]).toContain(await publishVersion(name, "1.0.1", as));
  });

  test("a build limited to staging cannot publish", async () => {
    const name = "@alice/staged";
    await publishVersion(name, "1.0.0");
    await trust(name, { ...onGitHub, permissions: ["createStagedPackage"] });
    const as = await runner(name);
    const staged = { method: "POST", as, body: publishBody(name, { version: "1.0.1" }) };
    expect((await server.request(`/-/stage/package/${name}`, staged)).status).toBe(201);
    expect(await publishVersion(name, "1.0.2", as)).toBe(403);
    const tag = { method: "PUT", as, body: "1.0.0" };
    expect((await server.request(`/-/package/${name}/dist-tags/beta`, tag)).status).toBe(403);
  });

  test("a trusted build can publish the first version of a package", async () => {
    const name = "@alice/promised";
    expect((await trust(name))[0]).toBe(201);
    expect((await list(name))[0]).toBe(200);
    expect((await trust("@bob/promised"))[0]).toBe(404);
    expect(await publishVersion(name, "1.0.0", await runner(name))).toBe(201);
  });

  test("only package administrators read and change trusted publishers", async () => {
    const organisation = await makeOrganisation(server, alice, "keepers");
    await server.request("/-/org/keepers/user", {
      method: "PUT",
      as: alice,
      body: { user: "bob" },
    });
    const { name } = await makePackage(server, "@keepers/key", { organisation, creator: alice });
    expect((await list(name, bob))[0]).toBe(403);
    expect((await trust(name, onGitHub, bob))[0]).toBe(403);
    const carol = await server.createUser("carol");
    const forbidden = (await list(name, carol))[1];
    const absent = (await list("@keepers/void", carol))[1];
    expect(JSON.stringify(forbidden)).toBe(
      JSON.stringify(absent).replaceAll("@keepers/void", name),
    );
    // The exchange does not reveal whether the package exists either.
    const [private_, missing] = [await exchanged(name), await exchanged("@keepers/void")];
    expect(JSON.stringify(private_)).toBe(
      JSON.stringify(missing).replaceAll("@keepers/void", name),
    );
  });

  test("rejects an invalid configuration and more than ten configurations", async () => {
    const wrong = [
      {},
      { ...onGitHub, type: "jenkins" },
      { ...onGitHub, permissions: [] },
      { ...onGitHub, permissions: ["everything"] },
      { ...onGitHub, claims: { ...onGitHub.claims, repository: "alice" } },
      { ...onGitHub, claims: { ...onGitHub.claims, workflow_ref: { file: "../release.yml" } } },
      { ...onGitHub, claims: { ...onGitHub.claims, workflow_ref: { file: "release" } } },
    ];
    for (const each of wrong)
      expect(await trust("@alice/wrong", each)).toMatchObject([400, { code: "trust-invalid" }]);
    for (let count = 0; count < 10; count += 1) await trust("@alice/many");
    expect(await trust("@alice/many")).toMatchObject([
      409,
      { code: "too-many-trusted-publishers" },
    ]);
  });

  test("trusts GitLab builds by project, file and environment", async () => {
    const name = "@alice/on-gitlab";
    const host = new URL(issuer.url).host;
    const claims: JWTPayload = {
      iss: `${issuer.url}/gitlab`,
      aud: audience,
      jti: randomUUID(),
      sub: "project_path:group/sub/demo",
      project_path: "group/sub/demo",
      project_id: "1",
      namespace_id: "2",
      ci_config_ref_uri: `${host}/group/sub/demo//.gitlab-ci.yml@refs/heads/main`,
    };
    const claims_ = {
      project_path: "group/sub/demo",
      ci_config_ref_uri: { file: ".gitlab-ci.yml" },
    };
    expect((await trust(name, { type: "gitlab", claims: claims_ }))[0]).toBe(201);
    for (const other of [
      { project_path: "group/demo" },
      { ci_config_ref_uri: `gitlab.example.com/group/sub/demo//.gitlab-ci.yml@refs/heads/main` },
      { iss: issuer.url },
    ])
      expect((await exchanged(name, { ...claims, jti: randomUUID(), ...other }))[0]).toBe(404);
    expect(await publishVersion(name, "1.0.0", await runner(name, claims))).toBe(201);
    expect((await exchanged(name, { ...claims, jti: randomUUID(), project_id: "3" }))[0]).toBe(404);
  });

  test("trusts CircleCI builds by the issuer of the organisation", async () => {
    const name = "@alice/on-circleci";
    const [org, project, pipeline, context] = [
      randomUUID(),
      randomUUID(),
      randomUUID(),
      randomUUID(),
    ];
    const claims_ = {
      "oidc.circleci.com/org-id": org,
      "oidc.circleci.com/project-id": project,
      "oidc.circleci.com/pipeline-definition-id": pipeline,
      "oidc.circleci.com/vcs-origin": "github.com/alice/demo",
      "oidc.circleci.com/context-ids": [context],
    };
    const claims: JWTPayload = {
      iss: `${issuer.url}/org/${org}`,
      aud: audience,
      sub: `org/${org}/project/${project}/user/1`,
      ...claims_,
      "oidc.circleci.com/context-ids": [randomUUID(), context],
    };
    expect((await trust(name, { type: "circleci", claims: claims_ }))[0]).toBe(201);
    for (const other of [
      { "oidc.circleci.com/project-id": randomUUID() },
      { "oidc.circleci.com/context-ids": [randomUUID()] },
      { "oidc.circleci.com/ssh-rerun": true },
      { "oidc.circleci.com/org-id": randomUUID() },
    ])
      expect((await exchanged(name, { ...claims, ...other }))[0]).toBe(404);
    expect(await publishVersion(name, "1.0.0", await runner(name, claims))).toBe(201);
  });
});

describe("issuers", () => {
  test("return 503 when their keys cannot be fetched", async () => {
    const issuer_ = await startIssuer();
    await using server = await testHub(anyDatabase, {
      HUB_HOST: "localhost",
      HUB_OIDC_ISSUERS: `github ${issuer_.url} ${issuer_.keys}`,
    });
    await issuer_[Symbol.asyncDispose]();
    const token = await issuer_.sign(build());
    const options = { method: "POST", as: { token } };
    const path = "/-/npm/v1/oidc/token/exchange/package/@alice%2fdemo";
    expect(await statusAndBody(server.request(path, options))).toMatchObject([
      503,
      { code: "issuer-unreachable" },
    ]);
  });

  test.each([
    "github",
    "github https://example.com",
    "jenkins https://a.com https://b.com",
    "github http://example.com https://example.com/keys",
  ])("need a type and keys over HTTPS: rejects %j", (HUB_OIDC_ISSUERS) => {
    expect(() => readSettings({ HUB_OIDC_ISSUERS })).toThrow(
      /HUB_OIDC_ISSUERS: .* the type is github, gitlab or circleci/,
    );
  });
});
