import { beforeAll, describe, expect, test } from "vitest";

import { requestReset } from "../src/identity/accounts/reset-password.ts";
import { addressGroup } from "../src/identity/credentials/address-group.ts";
import { countAttempt } from "../src/identity/credentials/attempts.ts";
import { hashQueue } from "../src/identity/credentials/password.ts";
import { sweep } from "../src/operations/sweep.ts";
import type { HubError } from "../src/platform/errors/hub-error.ts";
import type { Hub } from "../src/platform/hub/hub.ts";
import { startHub } from "../src/start.ts";
import { databases, testHub } from "./support/hub.ts";
import { enableSecondFactor, makePerson } from "./support/person.ts";
import { sharedHub } from "./support/shared-hub.ts";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_TRUST_PROXY: "127.0.0.1" });
  let hub: Hub;
  let now: Date;
  let count = 0;

  beforeAll(async () => {
    now = server.hub.clock();
    // A constant clock keeps slow machines from changing the delays.
    hub = { ...server.hub, clock: () => now };
  });

  const advance = (seconds: number): void => void (now = new Date(now.getTime() + seconds * 1000));
  /** An address that no other test uses. */
  const newAddress = (): string => `198.51.100.${(count += 1)}`;

  /** Counts a wrong password. Returns undefined if the attempt is allowed, else the seconds until it is. */
  async function tryPassword(subject: string, address: string): Promise<number | undefined> {
    try {
      await countAttempt(hub, { kind: "password", subject, address });
      return undefined;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, code: "too-many-attempts" });
      return Number((error as HubError).headers["retry-after"]);
    }
  }

  async function logIn(subject: string, address: string): Promise<void> {
    const wasRight = await countAttempt(hub, { kind: "password", subject, address });
    await wasRight();
  }

  async function tryPasswords(subjects: readonly string[], address: string) {
    const waits: (number | undefined)[] = [];
    for (const subject of subjects) waits.push(await tryPassword(subject, address));
    return waits;
  }
  const times = (length: number, subject: string): string[] =>
    Array.from({ length }, () => subject);
  const free = (length: number): undefined[] => Array.from({ length }, () => undefined);

  test("wrong passwords increase the delay, and rejected attempts do not count", async () => {
    const from = newAddress();
    expect(await tryPasswords(times(5, "ada"), from)).toEqual(free(5));
    for (const wait of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      expect(await tryPasswords(["ada", "ada"], from)).toEqual([wait, wait]);
      advance(wait);
      expect(await tryPassword("ada", from)).toBeUndefined();
    }
    advance(900);
    await logIn("ada", from);
    expect(await tryPasswords(times(6, "ada"), from)).toEqual([...free(5), 1]);
  });

  test("resets the limit after a day", async () => {
    const from = newAddress();
    expect(await tryPasswords(times(6, "joan"), from)).toEqual([...free(5), 1]);
    advance(24 * 3600);
    expect(await tryPasswords(times(6, "joan"), from)).toEqual([...free(5), 1]);
  });

  test("counts concurrent guesses", async () => {
    const from = newAddress();
    const waits = await Promise.all(times(20, "grace").map((name) => tryPassword(name, from)));
    expect(waits.filter((wait) => wait === undefined)).toHaveLength(5);
  });

  test("limits an address that guesses at many accounts", async () => {
    const from = newAddress();
    const names = Array.from({ length: 31 }, (_, index) => `somebody-${index}`);
    expect(await tryPasswords(names, from)).toEqual([...free(30), 1]);
    expect(await tryPassword("somebody-else", newAddress())).toBeUndefined();
  });

  test("counts failures of an address across successful logins of another account", async () => {
    const from = newAddress();
    const waits: (number | undefined)[] = [];
    for (let index = 0; index < 31; index += 1) {
      waits.push(await tryPassword(`another-${index}`, from));
      if (index % 7 === 0) await logIn("radia", from);
    }
    expect(waits).toEqual([...free(30), 1]);
  });

  test("guesses from many addresses do not lock the owner out", async () => {
    const [home, hotel] = [newAddress(), newAddress()];
    await logIn("hedy", home);
    for (let index = 0; index < 50; index += 1)
      expect(await tryPassword("hedy", `203.0.113.${index}`)).toBeUndefined();
    expect(await tryPassword("hedy", "203.0.113.99")).toBe(1);
    expect(await tryPassword("hedy", hotel)).toBe(1);
    await logIn("hedy", home);
    for (let index = 0; index < 20; index += 1) {
      advance((await tryPassword("hedy", "203.0.113.99")) ?? 0);
      await tryPassword("hedy", `192.0.2.${index}`);
    }
    expect(await tryPassword("hedy", hotel)).toBe(60);
    advance(60);
    await logIn("hedy", hotel);
  });

  test("deletes expired attempts", async () => {
    await tryPassword("lynn", newAddress());
    const rows = () => server.hub.database.selectFrom("attempts").select("key").execute();
    expect(JSON.stringify(await rows())).toContain("password:lynn");
    advance(25 * 3600);
    await sweep(hub);
    expect(JSON.stringify(await rows())).not.toContain("password:lynn");
    expect(JSON.stringify(await rows())).toContain("known:password:hedy");
  });

  /** Collects statuses up to the first 429. The clock runs, so a slow machine may get a few more attempts. */
  async function untilRejected(send: () => Promise<Response>): Promise<readonly number[]> {
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 40) statuses.push((await send()).status);
    return statuses;
  }

  test.each(["barbara", "nobody"])("limits logins of %s", async (name) => {
    if (name === "barbara") await makePerson(server, name);
    const statuses = await untilRejected(() =>
      server.request(`/-/user/org.couchdb.user:${name}`, {
        method: "PUT",
        body: { name, password: "wrong horse battery" },
        headers: { "x-forwarded-for": "192.0.2.201" },
      }),
    );
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses.length).toBeLessThan(9);
  });

  test("limits wrong one-time passwords, and accepts the right one later", async () => {
    const person = await makePerson(server, "sophie");
    const app = await enableSecondFactor(server, person);
    const change = (code: string): Promise<Response> =>
      server.request("/-/npm/v1/user", {
        method: "POST",
        as: person,
        body: { fullname: "Sophie" },
        headers: { "npm-otp": code },
      });
    const statuses = await untilRejected(() => change("000000"));
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses.length).toBeLessThan(9);
    expect((await change(app.code())).status).toBe(200);
  });

  test("limits requests for a new password, also of an unknown address", async () => {
    const reset = () => requestReset(hub, { email: "Ada@example.com", address: newAddress() });
    for (let count = 0; count < 5; count += 1) await reset();
    await expect(reset()).rejects.toMatchObject({ status: 429, code: "too-many-attempts" });
    advance(3600);
    await reset();
  });

  test("limits guesses of invitation links", async () => {
    const path = `/invite/${"x".repeat(43)}`;
    const statuses = await untilRejected(() => server.request(path));
    expect(statuses[29]).toBe(404);
    expect(statuses.at(-1)).toBe(429);
  });
});

test("counts attempts on all replicas together", async () => {
  await using one = await testHub("server");
  const { connection, blobs, settings, clock } = one.hub;
  const shared = { ...connection, close: async () => {} };
  await using other = await startHub(settings, { connection: shared, blobs, clock });
  const body = JSON.stringify({ name: "ada", password: "wrong horse battery" });
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length < 20) {
    const { url } = statuses.length % 2 === 0 ? one : other;
    const headers = { "content-type": "application/json" };
    const path = "/-/user/org.couchdb.user:ada";
    statuses.push((await fetch(`${url}${path}`, { method: "PUT", body, headers })).status);
  }
  expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
  expect(statuses.length).toBeLessThan(9);
});

test("limits the accounts of one address when registration is open", async () => {
  await using server = await testHub("server", { HUB_REGISTRATION: "open" });
  // Letters without i, whose names would be too similar to those with l.
  const letters = "abcdefghjklmnopqrstuvwxyz".split("");
  const names = ["", "-more"].flatMap((end) => letters.map((letter) => letter.repeat(8) + end));
  const statuses: number[] = [];
  for (const name of names) {
    if (statuses.at(-1) === 429) break;
    const body = { name, password: "correct horse battery" };
    const path = `/-/user/org.couchdb.user:${name}`;
    statuses.push((await server.request(path, { method: "PUT", body })).status);
  }
  expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 201));
  expect(statuses.at(-1)).toBe(429);
});

test("limits searches and changes per address, but not reads", async () => {
  await using server = await testHub("server", {
    HUB_SEARCHES_PER_MINUTE: "3",
    HUB_WRITES_PER_MINUTE: "2",
    HUB_TRUST_PROXY: "127.0.0.1",
  });
  const send = async (path: string, method = "GET", from = "192.0.2.1") => {
    const body = method === "GET" ? {} : { body: {} };
    return await server.request(path, { method, ...body, headers: { "x-forwarded-for": from } });
  };
  const statuses = async (path: string, method?: string): Promise<number[]> => {
    const all: number[] = [];
    for (let index = 0; index < 5; index += 1) all.push((await send(path, method)).status);
    return all;
  };
  expect((await statuses("/-/v1/search?text=x")).slice(3)).toEqual([429, 429]);
  expect((await statuses("/-/v1/login", "POST")).slice(1)).toEqual([200, 429, 429, 429]);
  expect(await statuses("/-/ping")).toEqual([200, 200, 200, 200, 200]);
  expect((await send("/-/v1/login", "POST", "192.0.2.2")).status).toBe(200);
  const rejection = await send("/-/v1/search?text=x");
  expect(rejection.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await rejection.json()).toMatchObject({ code: "too-many-requests" });
});

test("does not limit anything when limits are off", async () => {
  await using server = await testHub("server", { HUB_LIMITS: "off" });
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const response = await server.request("/-/user/org.couchdb.user:nobody", {
      method: "PUT",
      body: { name: "nobody", password: "wrong horse battery" },
    });
    statuses.push(response.status);
  }
  expect(new Set(statuses)).toEqual(new Set([401]));
});

test("limits concurrent hashes, queues in order and rejects above the queue's limit", async () => {
  const queue = hashQueue({ concurrency: 2, maxWaiting: 3 });
  let [now, maxActive] = [0, 0];
  const order: number[] = [];
  const job = (index: number) => async (): Promise<number> => {
    maxActive = Math.max(maxActive, (now += 1));
    await new Promise((resolve) => void setTimeout(resolve, 5));
    now -= 1;
    order.push(index);
    if (index === 1) throw new Error("one fails");
    return index;
  };
  const all = Promise.allSettled(Array.from({ length: 7 }, (_, index) => queue.run(job(index))));
  expect(queue.statistics()).toEqual({ done: 0, running: 2, waiting: 3 });
  const outcomes = await all;
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
  ]);
  expect([maxActive, order]).toEqual([2, [0, 1, 2, 3, 4]]);
  expect(queue.statistics()).toEqual({ done: 5, running: 0, waiting: 0 });
});

test("counts the IPv6 addresses of one network as one", () => {
  expect(addressGroup("192.0.2.7")).toBe("192.0.2.7");
  expect(addressGroup("::ffff:192.0.2.7")).toBe("192.0.2.7");
  expect(addressGroup("2001:db8:0:42:1:2:3:4")).toBe("2001:db8:0:42::/64");
  expect(addressGroup("2001:DB8:0:0042::1")).toBe("2001:db8:0:42::/64");
  expect(addressGroup("2001:db8::1")).toBe("2001:db8:0:0::/64");
  expect(addressGroup("::1")).toBe("0:0:0:0::/64");
  expect(addressGroup("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
});
