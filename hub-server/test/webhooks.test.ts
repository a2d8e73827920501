import { randomUUID } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { EventType } from "@envs/hub-client";
import { databases, testHub, type TestUser } from "@envs/hub-testing/hub";
import { nameServer } from "@envs/hub-testing/name-server";
import { seedPackage, type SeedOptions } from "@envs/hub-testing/seed-package";
import { sharedHub, sharedUser } from "@envs/hub-testing/shared-hub";
import { describe, expect, test, vi } from "vitest";

import { eventsAfter } from "../src/events/feed.ts";
import { deliverDue } from "../src/events/webhooks/deliveries.ts";
import { lastDeliveries } from "../src/events/webhooks/last-deliveries.ts";
import { isPrivateAddress, publicLookup } from "../src/events/webhooks/public-address.ts";
import { signature } from "../src/events/webhooks/send.ts";
import { sweep } from "../src/operations/sweep.ts";
import { change } from "../src/platform/hub/change.ts";
import { eventHash } from "../src/platform/hub/event-log.ts";

interface Received {
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** A receiver whose response tests control: a status, a status with an endless body, or no response. */
async function receiver() {
  const received: Received[] = [];
  const state: { status: number | "silence"; isEndless: boolean } = {
    status: 204,
    isEndless: false,
  };
  const server: Server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
    received.push({ body: Buffer.concat(chunks).toString(), headers: request.headers });
    if (state.status === "silence") return;
    response.writeHead(state.status);
    if (state.isEndless) pour(response.on("drain", () => pour(response)));
    else response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  const subjects = (): string[] =>
    received.map(({ body }) => (JSON.parse(body) as { subject: string }).subject);
  return { url, received, subjects, state, [Symbol.asyncDispose]: close };
}

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write("x".repeat(10_000)));
}

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_WEBHOOKS: "any" });
  const ada = sharedUser(server, "ada");

  async function makePackage(
    name: string,
    {
      access = "public",
      owner = ada,
    }: Partial<Pick<SeedOptions, "access"> & { owner: TestUser }> = {},
  ): Promise<void> {
    const created = await seedPackage(server.hub, name, { owner, access });
    await change(server.hub, async ({ event }) => {
      event({ type: "package.created", actor: "ada", subject: name, packageId: created.id });
    });
  }

  async function makeHook(url: string, types: EventType[] = [], owner = ada): Promise<string> {
    const id = randomUUID();
    const { database, clock } = server.hub;
    const last = await database
      .selectFrom("events")
      .select(({ fn }) => fn.max("sequence").as("last"))
      .executeTakeFirstOrThrow();
    await database
      .insertInto("webhooks")
      .values({
        id,
        account_id: owner.id,
        url,
        secret: "s3cret",
        types,
        cursor: last.last ?? 0,
        created_by: owner.id,
        created_at: clock(),
        package_id: null,
        disabled_at: null,
      })
      .execute();
    return id;
  }

  /** The first of a webhook's deliveries. */
  function deliveryOf(id: string) {
    return server.hub.database
      .selectFrom("webhook_deliveries")
      .where("webhook_id", "=", id)
      .orderBy("sequence")
      .selectAll()
      .executeTakeFirst();
  }

  test("each event's hash covers the previous hash", async () => {
    await makePackage("@ada/one");
    await makePackage("@ada/two");
    const rows = await server.hub.database
      .selectFrom("events")
      .orderBy("sequence")
      .selectAll()
      .execute();
    expect(rows.length).toBeGreaterThan(1);
    for (const [index, row] of rows.entries()) {
      expect(row.sequence).toBe(index + 1);
      expect(row.hash).toBe(eventHash(row));
      expect(row.previous_hash).toBe(rows[index - 1]?.hash ?? "0".repeat(64));
    }
  });

  test("hides the details of private packages from other users", async () => {
    await makePackage("@ada/secret", { access: "restricted" });
    const all = await eventsAfter(server.hub.database, {
      since: 0,
      limit: 1000,
      reader: undefined,
    });
    expect(JSON.stringify(all)).not.toContain("secret");
    expect(all.at(-1)).toEqual({
      sequence: all.length,
      isHidden: true,
      hash: expect.any(String),
      previousHash: all.at(-2)!.hash,
    });
  });

  test("concurrent changes form one chain without gaps", async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => makePackage(`@ada/parallel-${index}`)),
    );
    const rows = await server.hub.database
      .selectFrom("events")
      .orderBy("sequence")
      .select(["sequence", "hash", "previous_hash"])
      .execute();
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1));
    for (const [index, row] of rows.entries())
      if (index > 0) expect(row.previous_hash).toBe(rows[index - 1]!.hash);
  });

  test("delivers the subscribed events once, with a signature", async () => {
    await using target = await receiver();
    await makeHook(target.url, ["package.created"]);
    await makePackage("@ada/hooked");
    await vi.waitFor(() => expect(target.received).toHaveLength(1), { timeout: 30_000 });
    await deliverDue(server.hub);
    expect(target.received).toHaveLength(1);
    const [{ body, headers }] = target.received as [Received];
    expect(JSON.parse(body)).toMatchObject({ type: "package.created", subject: "@ada/hooked" });
    const [, timestamp, hmac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(
      String(headers["x-envs-signature"]),
    )!;
    expect(hmac).toBe(signature("s3cret", Number(timestamp), body));
  });

  test("creates, lists, tests and deletes a webhook over HTTP", async () => {
    await using target = await receiver();
    const grace = await server.createUser("grace");
    const body = { url: target.url, types: ["package.created"] };
    const created = await server.request("/api/v1/webhooks", { method: "POST", as: ada, body });
    expect(created.status).toBe(201);
    const { id, secret } = (await created.json()) as { id: string; secret: string };
    await makePackage("@ada/over-http");
    await vi.waitFor(() => expect(target.received).toHaveLength(1), { timeout: 30_000 });
    const [, timestamp, hmac] = /^t=(\d+),v1=(\w+)$/.exec(
      String(target.received[0]!.headers["x-envs-signature"]),
    )!;
    expect(hmac).toBe(signature(secret, Number(timestamp), target.received[0]!.body));

    const listed = await (await server.request("/api/v1/webhooks", { as: ada })).text();
    expect(listed).toContain(id);
    expect(listed).not.toContain(secret);
    expect(await (await server.request("/api/v1/webhooks", { as: grace })).json()).toEqual({
      items: [],
    });
    const path = `/api/v1/webhooks/${id}`;
    expect((await server.request(`${path}/deliveries`, { as: grace })).status).toBe(404);
    expect((await server.request(path, { method: "DELETE", as: grace })).status).toBe(404);
    expect(await (await server.request(`${path}/deliveries`, { as: ada })).json()).toMatchObject({
      items: [{ attempts: 1, status: 204, nextAttemptAt: null }],
    });
    expect((await server.request(path, { method: "DELETE", as: ada })).status).toBe(200);
    expect((await server.request(path, { method: "DELETE", as: ada })).status).toBe(404);
  });

  test("rejects a webhook for another account, an unknown type or an invalid URL", async () => {
    const alan = await server.createUser("alan");
    const post = (body: unknown) =>
      server.request("/api/v1/webhooks", { method: "POST", as: alan, body });
    expect((await post({ url: "https://example.com", account: "ada" })).status).toBe(403);
    expect((await post({ url: "https://example.com", account: "nobody" })).status).toBe(403);
    expect(
      await (await post({ url: "https://example.com", types: ["version.eaten"] })).json(),
    ).toMatchObject({ code: "invalid-request" });
    expect((await post({ url: "file:///etc/passwd" })).status).toBe(400);
    expect(
      (
        await server.request("/api/v1/webhooks", {
          method: "POST",
          body: { url: "https://example.com" },
        })
      ).status,
    ).toBe(401);
  });

  test("pages the log and returns a cursor", async () => {
    const first = (await (await server.request("/-/events?limit=2")).json()) as {
      items: { sequence: number }[];
      last: number;
    };
    expect(first.items.map(({ sequence }) => sequence)).toEqual([1, 2]);
    const rest = (await (
      await server.request("/-/events?since=2&limit=1000")
    ).json()) as typeof first;
    expect(rest.items.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: first.last - 2 }, (_, index) => index + 3),
    );
    expect((await server.request("/-/events?since=-1")).status).toBe(400);
    expect((await server.request("/-/events?since=x")).status).toBe(400);
  });

  test("a receiver that never responds does not delay others", async () => {
    await using dead = await receiver();
    await using target = await receiver();
    dead.state.status = "silence";
    const id = await makeHook(dead.url);
    await makeHook(target.url);
    const names = ["@ada/first", "@ada/second", "@ada/third"];
    for (const name of names) await makePackage(name);
    await vi.waitFor(() => expect(target.subjects()).toEqual(names), { timeout: 30_000 });
    expect(dead.subjects()).toEqual(["@ada/first"]);
    await dead[Symbol.asyncDispose]();
    await vi.waitFor(async () => expect(await deliveryOf(id)).toMatchObject({ attempts: 1 }), {
      timeout: 30_000,
    });
    await server.hub.database.deleteFrom("webhooks").where("id", "=", id).execute();
  });

  test("unresponsive receivers of one account do not delay other accounts", async () => {
    await using dead = await receiver();
    await using target = await receiver();
    dead.state.status = "silence";
    const mallory = await server.createUser("mallory");
    for (let created = 0; created < 12; created += 1) await makeHook(dead.url, [], mallory);
    await makeHook(target.url);
    await makePackage("@mallory/many", { owner: mallory });
    await makePackage("@ada/one-more");
    await vi.waitFor(() => expect(target.subjects()).toEqual(["@ada/one-more"]), {
      timeout: 30_000,
    });
    await vi.waitFor(() => expect(dead.received).toHaveLength(8), { timeout: 30_000 });
    dead.state.status = 204;
    await dead[Symbol.asyncDispose]();
  });

  test("an unreachable receiver gets missed events in order and once after the backoff", async () => {
    await using target = await receiver();
    const id = await makeHook(target.url);
    target.state.status = 503;
    const names = ["@ada/missed-1", "@ada/missed-2", "@ada/missed-3"];
    for (const name of names) await makePackage(name);
    await vi.waitFor(async () => expect(await deliveryOf(id)).toMatchObject({ attempts: 1 }), {
      timeout: 30_000,
    });
    await deliverDue(server.hub);
    expect(target.received).toHaveLength(1);
    server.advanceClock(61_000);
    await deliverDue(server.hub);
    await vi.waitFor(async () => expect(await deliveryOf(id)).toMatchObject({ attempts: 2 }), {
      timeout: 30_000,
    });
    target.state.status = 200;
    await deliverDue(server.hub);
    expect(target.received).toHaveLength(2);
    const path = `/api/v1/webhooks/${id}/deliveries`;
    const listed = (await (await server.request(path, { as: ada })).json()) as {
      items: { nextAttemptAt: string }[];
    };
    for (const { nextAttemptAt } of listed.items)
      expect(new Date(nextAttemptAt).getTime()).toBeGreaterThan(server.hub.clock().getTime());
    server.advanceClock(6 * 60_000);
    await Promise.all(Array.from({ length: 3 }, () => deliverDue(server.hub)));
    await vi.waitFor(() => expect(target.subjects().slice(2)).toEqual(names), { timeout: 30_000 });
    await deliverDue(server.hub);
    expect(target.received).toHaveLength(5);
  });

  test("a rejected delivery or a long response does not delay later deliveries", async () => {
    await using target = await receiver();
    const id = await makeHook(target.url);
    target.state.status = 422;
    await makePackage("@ada/refused");
    await vi.waitFor(async () => expect(await deliveryOf(id)).toMatchObject({ status: 422 }), {
      timeout: 30_000,
    });
    Object.assign(target.state, { status: 200, isEndless: true });
    await makePackage("@ada/after");
    await makePackage("@ada/after-that");
    await vi.waitFor(
      () => expect(target.subjects()).toEqual(["@ada/refused", "@ada/after", "@ada/after-that"]),
      { timeout: 30_000 },
    );
  });

  test("drops queued events after three days of failures", async () => {
    await using target = await receiver();
    const id = await makeHook(target.url);
    target.state.status = 500;
    await makePackage("@ada/long-ago");
    await vi.waitFor(async () => expect(await deliveryOf(id)).toMatchObject({ attempts: 1 }), {
      timeout: 30_000,
    });
    for (const name of ["@ada/lost-1", "@ada/lost-2"]) await makePackage(name);
    server.advanceClock(3 * 24 * 3_600_000);
    await deliverDue(server.hub);
    await vi.waitFor(async () => expect(await deliveryOf(id)).toMatchObject({ attempts: 2 }), {
      timeout: 30_000,
    });
    target.state.status = 200;
    await makePackage("@ada/new");
    server.advanceClock(3_600_000);
    await deliverDue(server.hub);
    await vi.waitFor(
      () => expect(target.subjects().slice(2)).toEqual(["@ada/long-ago", "@ada/new"]),
      { timeout: 30_000 },
    );
  });

  test("deletes finished deliveries after a month", async () => {
    await using target = await receiver();
    const id = await makeHook(target.url);
    await makePackage("@ada/old");
    const { database } = server.hub;
    // Wait until the lease is released: it would expire with the clock, and the hub would send the event again.
    const delivered = { deliveredAt: expect.any(String) };
    await vi.waitFor(
      async () => expect(await lastDeliveries(database, id)).toMatchObject([delivered]),
      { timeout: 30_000 },
    );
    server.advanceClock(20 * 24 * 3_600_000);
    await makePackage("@ada/young");
    await vi.waitFor(
      async () => expect(await lastDeliveries(database, id)).toMatchObject([delivered, delivered]),
      { timeout: 30_000 },
    );
    server.advanceClock(20 * 24 * 3_600_000);
    await sweep(server.hub);
    expect(await lastDeliveries(database, id)).toHaveLength(1);
  });

  test("retries an unreachable receiver until the deadline", async () => {
    await using target = await receiver();
    const id = await makeHook(target.url);
    target.state.status = 500;
    await makePackage("@ada/later");
    await vi.waitFor(
      async () => expect(await deliveryOf(id)).toMatchObject({ attempts: 1, status: 500 }),
      { timeout: 30_000 },
    );
    await deliverDue(server.hub);
    expect(target.received).toHaveLength(1);
    server.advanceClock(61_000);
    target.state.status = 200;
    await deliverDue(server.hub);
    // The hub's own timer may have started this delivery, and not have finished it yet.
    const delivered = { attempts: 2, status: 200, delivered_at: expect.any(Date) };
    await vi.waitFor(async () => expect(await deliveryOf(id)).toMatchObject(delivered), {
      timeout: 30_000,
    });
    expect(target.received).toHaveLength(2);
  });
});

test("distinguishes private addresses from public ones", () => {
  for (const near of [
    "127.0.0.1",
    "10.1.2.3",
    "192.168.1.1",
    "169.254.169.254",
    "::1",
    "::",
    "fd00::1",
    "::ffff:127.0.0.1",
    "0.0.0.0",
  ])
    expect([near, isPrivateAddress(near)]).toEqual([near, true]);
  for (const far of ["93.184.216.34", "2606:2800:220:1::1", "172.32.0.1"])
    expect([far, isPrivateAddress(far)]).toEqual([far, false]);
});

test("send rejects a private address by default", async () => {
  await using server = await testHub("embedded");
  await using target = await receiver();
  const { send } = await import("../src/events/webhooks/send.ts");
  const message = {
    secret: "s",
    body: "{}",
    headers: {},
    allowsPrivateAddresses: false,
    timestamp: 1,
  };
  await expect(send({ ...message, url: target.url })).rejects.toThrow("is a private address");
  await expect(
    send({ ...message, url: target.url.replace("127.0.0.1", "localhost") }),
  ).rejects.toThrow("is a private address");
  expect(target.received).toEqual([]);
  expect(server.url).toContain("127.0.0.1");
});

test("slow DNS lookups do not delay other names", async () => {
  await using names = await nameServer({
    "far.example": "93.184.216.34",
    "near.example": "127.0.0.1",
    "never.example": "silence",
  });
  const resolver = new Resolver({ timeout: 20_000, tries: 1 });
  resolver.setServers([names.address]);
  const lookup = publicLookup(resolver);
  const lookUp = (name: string) =>
    new Promise<unknown>((resolve, reject) =>
      lookup(name, { all: true }, (error, addresses) =>
        error === null ? resolve(addresses) : reject(error),
      ),
    );
  const never = Promise.allSettled(Array.from({ length: 16 }, () => lookUp("never.example")));
  await expect(lookUp("far.example")).resolves.toEqual([{ address: "93.184.216.34", family: 4 }]);
  for (const near of ["near.example", "localhost", "hub.localhost"])
    await expect(lookUp(near)).rejects.toThrow("is a private address");
  await expect(lookUp("nobody.example")).rejects.toThrow("ENOTFOUND");
  resolver.cancel();
  expect(new Set((await never).map(({ status }) => status))).toEqual(new Set(["rejected"]));
});
