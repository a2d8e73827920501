import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { bareApp } from "../src/app.ts";
import { repositoryAddress } from "../src/packages/attestations/repository.ts";
import { attestationRoutes } from "../src/packages/attestations/routes.ts";
import { readSettings } from "../src/platform/config/read-settings.ts";
import type { Hub } from "../src/platform/hub/hub.ts";
import { databases, testHub } from "./support/hub.ts";
import { escapedName } from "./support/package-document.ts";
import { publishBody } from "./support/publish.ts";
import { statusAndBody } from "./support/response.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";
import { type Sigstore, startSigstore } from "./support/sigstore.ts";

const slsa = "https://slsa.dev/provenance/v1";
const repository = "alice/demo";
const packageJson = { repository: { type: "git", url: "git+https://github.com/Alice/demo.git" } };

type Body = ReturnType<typeof publishBody>;

function sha512Of(body: Body): string {
  const [version] = Object.values(body.versions);
  return Buffer.from(version?.dist.integrity.slice(7) ?? "", "base64").toString("hex");
}

/** The statement that npm signs: this tarball is this version. */
function statementOf(name: string, body: Body) {
  const [version = ""] = Object.keys(body.versions);
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      {
        name: `pkg:npm/${name.replace("@", "%40")}@${version}`,
        digest: { sha512: sha512Of(body) },
      },
    ],
    predicateType: slsa,
    predicate: {},
  };
}

let sigstore: Sigstore;
let folder: string;
let root: string;

beforeAll(async () => {
  sigstore = await startSigstore();
  folder = await mkdtemp(join(tmpdir(), "envs-sigstore-"));
  root = await sigstore.trustedRoot(folder);
});
afterAll(async () => {
  await sigstore[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind, () => ({ HUB_SIGSTORE_ROOT: root }));
  const alice = sharedUser(server, "alice");
  const bob = sharedUser(server, "bob");

  function send(name: string, body: Body, bundle: unknown, to = { hub: server, as: alice }) {
    const [version = ""] = Object.keys(body.versions);
    const data = JSON.stringify(bundle);
    const content_type = "application/vnd.dev.sigstore.bundle.v0.3+json";
    const attachment = { content_type, data, length: data.length };
    const _attachments = { ...body._attachments, [`${name}-${version}.sigstore`]: attachment };
    const options = { method: "PUT", as: to.as, body: { ...body, _attachments } };
    return statusAndBody(to.hub.request(`/${escapedName(name)}`, options));
  }

  test("stores verified provenance, links it in the packument and serves it", async () => {
    const name = "@alice/proven";
    const body = publishBody(name, { packageJson });
    const bundle = await sigstore.sign({ repository, statement: statementOf(name, body) });
    expect((await send(name, body, bundle))[0]).toBe(201);
    const { dist } = (await (await server.request(`/${name}/1.0.0`)).json()) as {
      dist: { attestations: { url: string } };
    };
    expect(dist.attestations).toEqual({
      url: `${server.url}/-/npm/v1/attestations/@alice%2fproven@1.0.0`,
      provenance: { predicateType: slsa },
    });
    for (const path of [
      new URL(dist.attestations.url).pathname,
      `/-/npm/v1/attestations/${name}@1.0.0`,
    ])
      expect(await statusAndBody(server.request(path))).toEqual([
        200,
        { attestations: [{ predicateType: slsa, bundle }] },
      ]);
  });

  test("returns 404 without provenance and for clients that cannot read the package", async () => {
    const name = "@alice/plain";
    await server.request(`/${escapedName(name)}`, {
      method: "PUT",
      as: alice,
      body: publishBody(name, {}),
    });
    expect((await server.request(`/-/npm/v1/attestations/${name}@1.0.0`)).status).toBe(404);
    const hidden = "@alice/hidden";
    const body = publishBody(hidden, { packageJson, access: "restricted" });
    const bundle = await sigstore.sign({ repository, statement: statementOf(hidden, body) });
    expect((await send(hidden, body, bundle))[0]).toBe(201);
    const path = `/-/npm/v1/attestations/${escapedName(hidden)}@1.0.0`;
    expect((await server.request(path, { as: alice })).status).toBe(200);
    expect((await server.request(path, { as: bob })).status).toBe(404);
    expect((await server.request(path)).status).toBe(404);
    for (const nothing of ["", "@", "@alice", "x@", "@alice/proven"])
      expect((await server.request(`/-/npm/v1/attestations/${nothing}`)).status).toBe(404);
  });

  test("rejects a statement about another version, package or tarball", async () => {
    const name = "@alice/mixed-up";
    const body = publishBody(name, { packageJson });
    const others = [
      statementOf("@alice/other", body),
      statementOf(name, publishBody(name, { packageJson, version: "1.0.1" })),
      statementOf(name, publishBody(name, { packageJson, files: { "other.js": "" } })),
    ];
    for (const statement of others)
      expect(await send(name, body, await sigstore.sign({ repository, statement }))).toMatchObject([
        422,
        { code: "attestation-subject" },
      ]);
    expect((await server.request(`/${name}`)).status).toBe(404);
  });

  test("rejects a build from another repository than package.json names", async () => {
    const name = "@alice/elsewhere";
    const body = publishBody(name, { packageJson });
    const statement = statementOf(name, body);
    const bundle = await sigstore.sign({ repository: "mallory/demo", statement });
    expect(await send(name, body, bundle)).toMatchObject([
      422,
      {
        code: "attestation-repository",
        message: expect.stringContaining("https://github.com/mallory/demo"),
      },
    ]);
    const nowhere = publishBody(name, {});
    const unlinked = await sigstore.sign({ repository, statement: statementOf(name, nowhere) });
    expect(await send(name, nowhere, unlinked)).toMatchObject([
      422,
      {
        code: "attestation-repository",
        message: expect.stringContaining("does not name a repository"),
      },
    ]);
  });

  test("rejects a statement from an untrusted authority", async () => {
    await using other = await startSigstore();
    const name = "@alice/unknown";
    const body = publishBody(name, { packageJson });
    const bundle = await other.sign({ repository, statement: statementOf(name, body) });
    expect(await send(name, body, bundle)).toMatchObject([422, { code: "attestation-untrusted" }]);
  });

  test("rejects a changed signature and the signature of another statement", async () => {
    const name = "@alice/forged";
    const body = publishBody(name, { packageJson });
    const statement = statementOf(name, body);
    const honest = (await sigstore.sign({
      repository,
      statement: {
        ...statement,
        subject: [{ ...statement.subject[0], name: "pkg:npm/other@1.0.0" }],
      },
    })) as { dsseEnvelope: object };
    const payload = Buffer.from(JSON.stringify(statement)).toString("base64");
    const forged = { ...honest, dsseEnvelope: { ...honest.dsseEnvelope, payload } };
    expect(await send(name, body, forged)).toMatchObject([422, { code: "attestation-untrusted" }]);
  });

  test("rejects a document that is not a provenance statement", async () => {
    const name = "@alice/confused";
    const body = publishBody(name, { packageJson });
    const statement = statementOf(name, body);
    const wrong = [
      { repository, statement, type: "text/plain" },
      { repository, statement: { ...statement, predicateType: "https://example.com/other" } },
      {
        repository,
        statement: { ...statement, subject: [...statement.subject, ...statement.subject] },
      },
      { repository, statement: { ...statement, subject: [] } },
      { repository, statement: "a text" },
    ];
    const rejection = [422, expect.objectContaining({ code: "attestation-invalid" })];
    for (const each of wrong)
      expect(await send(name, body, await sigstore.sign(each))).toEqual(rejection);
    const empty = {
      mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
      verificationMaterial: {},
    };
    expect(await send(name, body, empty)).toEqual(rejection);
  });

  test("rejects provenance and names the setting when the hub has no trusted authorities", async () => {
    await using plain = await testHub(kind);
    const to = { hub: plain, as: await plain.createUser("alice") };
    const name = "@alice/hopeful";
    const body = publishBody(name, { packageJson });
    const bundle = await sigstore.sign({ repository, statement: statementOf(name, body) });
    expect(await send(name, body, bundle, to)).toMatchObject([
      422,
      { code: "attestation-not-taken", message: expect.stringContaining("HUB_SIGSTORE_ROOT") },
    ]);
  });
});

describe("the file of trusted authorities", () => {
  test("is read at start-up, and an invalid file is reported with its path", async () => {
    const wrong = join(folder, "wrong.json");
    await writeFile(wrong, "{}");
    for (const path of [join(folder, "missing.json"), wrong]) {
      const settings = readSettings({ HUB_SIGSTORE_ROOT: path, HUB_LOG: "silent" });
      const app = bareApp({ settings });
      // Registering this route needs only the settings.
      await expect(attestationRoutes(app, { settings } as Hub)).rejects.toThrow(
        /HUB_SIGSTORE_ROOT is .*, which is not a valid trusted_root.json/,
      );
      await app.close();
    }
  });
});

describe("a repository's address", () => {
  test.each([
    "https://github.com/Alice/demo",
    "git+https://github.com/alice/demo.git",
    "git://github.com/alice/demo.git#main",
    "git+ssh://git@github.com/alice/demo.git",
    "ssh://git@github.com:22/alice/demo",
    "git@github.com:alice/demo.git",
    "github:alice/demo",
    "alice/demo",
    "https://token@github.com/alice/demo/",
  ])("is the same for %s", (text) => {
    expect(repositoryAddress(text)).toBe("github.com/alice/demo");
    expect(repositoryAddress({ type: "git", url: text })).toBe("github.com/alice/demo");
  });

  test("differs for another host, owner or name", () => {
    expect(repositoryAddress("gitlab:group/sub/demo")).toBe("gitlab.com/group/sub/demo");
    expect(repositoryAddress("https://git.example.com/alice/demo")).toBe(
      "git.example.com/alice/demo",
    );
    expect(repositoryAddress("https://github.com.example.com/alice/demo")).not.toBe(
      "github.com/alice/demo",
    );
    expect(repositoryAddress("https://example.com/github.com/alice/demo")).toBe(
      "example.com/github.com/alice/demo",
    );
  });

  test.each(["", "demo", "gist:123", 1, null, {}, { url: 1 }, "https://", "file:///etc"])(
    "is undefined for %j",
    (text) => {
      expect(repositoryAddress(text)).toBeUndefined();
    },
  );
});
