import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import pacote from "pacote";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { rotateSigningKey } from "../src/packages/signatures/rotate.ts";
import { signatureOf } from "../src/packages/signatures/sign.ts";
import { databases, testHub, type TestHub, type TestUser } from "./support/hub.ts";
import { publishOrThrow } from "./support/publish.ts";

interface Key {
  readonly keyid: string;
  readonly key: string;
  readonly expires: string | null;
}

const subject = { name: "@envs/tictactoe", version: "0.1.0", integrity: "sha512-AAAA" };
const minute = 60_000;

describe.each(databases)("on the %s database", (kind) => {
  let server: TestHub;
  let alice: TestUser;
  let cache: string;

  beforeAll(async () => {
    server = await testHub(kind);
    alice = await server.createUser("alice");
    cache = await mkdtemp(join(tmpdir(), "envs-pacote-"));
  });
  afterAll(async () => {
    await server.close();
    await rm(cache, { recursive: true, force: true, maxRetries: 10 });
  });

  async function keys(): Promise<Key[]> {
    const body = (await (await server.request("/-/npm/v1/keys")).json()) as { keys: Key[] };
    return body.keys;
  }

  /** Reads a version as `npm audit signatures` does. Resolves to the ids of the verified keys, or to the error code. */
  async function verifiedKeys(spec: string, trusted?: readonly Key[]): Promise<unknown> {
    const registryKeys = (trusted ?? (await keys())).map((key) => ({
      ...key,
      pemkey: `-----BEGIN PUBLIC KEY-----\n${key.key}\n-----END PUBLIC KEY-----`,
    }));
    return await pacote
      .manifest(spec, {
        registry: `${server.url}/`,
        cache,
        preferOnline: true,
        verifySignatures: true,
        [`//${new URL(server.url).host}/:_keys`]: registryKeys,
      })
      .then(
        ({ _signatures }) => _signatures?.map(({ keyid }) => keyid),
        (error: unknown) => (error as { code: string }).code,
      );
  }

  const alter = (column: { integrity: string }, version: string) =>
    server.hub.database
      .updateTable("versions")
      .where("version", "=", version)
      .set(column)
      .execute();

  test("serves the keys in npm's format", async () => {
    const [key] = await keys();
    expect(key).toEqual({
      expires: null,
      keyid: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}=$/),
      keytype: "ecdsa-sha2-nistp256",
      scheme: "ecdsa-sha2-nistp256",
      key: expect.any(String),
    });
    const { keyid, sig } = (await signatureOf(server.hub, subject))[0] ?? { keyid: "", sig: "" };
    expect(keyid).toBe(key?.keyid);
    const spki = {
      key: Buffer.from(key?.key ?? "", "base64"),
      format: "der",
      type: "spki",
    } as const;
    const text = Buffer.from("@envs/tictactoe@0.1.0:sha512-AAAA");
    expect(verify("sha256", text, createPublicKey(spki), Buffer.from(sig, "base64"))).toBe(true);
  });

  test("replicas that start together create one key", async () => {
    await server.hub.database.deleteFrom("signing_keys").execute();
    const replicas = Array.from({ length: 8 }, () => ({ ...server.hub }));
    const signed = await Promise.all(replicas.map((hub) => signatureOf(hub, subject)));
    expect(new Set(signed.flat().map(({ keyid }) => keyid)).size).toBe(1);
    expect(await keys()).toHaveLength(1);
    server.advanceClock(2 * minute);
  });

  test("pacote verifies a published version and rejects a changed one", async () => {
    await publishOrThrow(server, "@alice/signed", { as: alice });
    await publishOrThrow(server, "@alice/signed", { as: alice, version: "1.0.1" });
    const [key] = await keys();
    expect(await verifiedKeys("@alice/signed@1.0.0")).toEqual([key?.keyid]);
    const tarball = await pacote.tarball("@alice/signed@1.0.1", { registry: server.url, cache });
    expect(tarball.length).toBeGreaterThan(0);
    await alter({ integrity: `sha512-${Buffer.alloc(64).toString("base64")}` }, "1.0.1");
    server.hub.invalidate("@alice/signed");
    expect(await verifiedKeys("@alice/signed@1.0.1")).toBe("EINTEGRITYSIGNATURE");
    expect(await verifiedKeys("@alice/signed@1.0.0")).toEqual([key?.keyid]);
  });

  test("pacote rejects an unknown, missing or expired key", async () => {
    await publishOrThrow(server, "@alice/locked", { as: alice });
    const [key] = await keys();
    if (key === undefined) throw new Error("There is no key.");
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const other = publicKey.export({ type: "spki", format: "der" }).toString("base64");
    expect(await verifiedKeys("@alice/locked", [{ ...key, key: other }])).toBe(
      "EINTEGRITYSIGNATURE",
    );
    expect(await verifiedKeys("@alice/locked", [{ ...key, keyid: "SHA256:other" }])).toBe(
      "EMISSINGSIGNATUREKEY",
    );
    const hourAgo = new Date(server.hub.clock().getTime() - 60 * minute).toISOString();
    expect(await verifiedKeys("@alice/locked", [{ ...key, expires: hourAgo }])).toBe(
      "EEXPIREDSIGNATUREKEY",
    );
  });

  test("versions from before and after a rotation verify", async () => {
    await publishOrThrow(server, "@alice/turned", { as: alice });
    const replica = { ...server.hub };
    await signatureOf(replica, subject);
    const [old] = await keys();
    const { keyid, oldKeysUntil } = await rotateSigningKey(server.hub);
    await publishOrThrow(server, "@alice/turned", { as: alice, version: "1.0.1" });
    expect(await verifiedKeys("@alice/turned@1.0.0")).toEqual([old?.keyid]);
    expect(await verifiedKeys("@alice/turned@1.0.1")).toEqual([keyid]);
    expect(await keys()).toMatchObject([
      { keyid, expires: null },
      { keyid: old?.keyid, expires: oldKeysUntil.toISOString() },
    ]);
    // A replica with the old key in its cache still signs with it. The key has not expired yet.
    const signers = async () => (await signatureOf(replica, subject)).map((each) => each.keyid);
    expect(await signers()).toEqual([old?.keyid]);
    server.advanceClock(oldKeysUntil.getTime() - server.hub.clock().getTime() - minute);
    expect(await signers()).toEqual([keyid]);
  });

  test("two concurrent rotations leave one active key", async () => {
    await Promise.all([rotateSigningKey(server.hub), rotateSigningKey({ ...server.hub })]);
    const open = (await keys()).filter(({ expires }) => expires === null);
    expect(open).toHaveLength(1);
  });
});
