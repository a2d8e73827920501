import { sql } from "kysely";
import { describe, expect, test } from "vitest";

import { inGroups } from "../src/platform/database/in-groups.ts";
import { type Change, change } from "../src/platform/hub/hub.ts";
import { publish } from "./support/publish.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe("concurrent changes of an embedded database", () => {
  const server = sharedHub("embedded");
  const ada = sharedUser(server, "ada");
  const topics = Array.from({ length: 12 }, (_, index) => `topic-${index}`);

  const transactionOf = async ({ database }: Change): Promise<string | undefined> => {
    const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(
      database,
    );
    return rows[0]?.id;
  };

  test("share transactions, each of which syncs once", async () => {
    const all = topics.map(() => change(server.hub, transactionOf));
    expect(new Set(await Promise.all(all)).size).toBeLessThan(topics.length);
  });

  test("share the claims of blobs", async () => {
    const keys = topics.map((_, index) => index.toString(16).padStart(128, "0"));
    await Promise.all(keys.map((key) => server.hub.claim([key])));
    const { rows } = await sql<{ transactions: number; claims: number }>`
      select count(*) as claims, count(distinct xmin::text) as transactions from blob_claims where blob = any(${keys})
    `.execute(server.hub.database);
    expect(rows[0]?.claims).toBe(keys.length);
    expect(rows[0]?.transactions).toBeLessThan(keys.length);
  });

  test("fail alone, and leave the log's chain whole", async () => {
    const insert = (name: string) =>
      change(server.hub, async ({ database, now, event }) => {
        event({ type: "user.created", actor: null, subject: name });
        await database
          .insertInto("accounts")
          .values({ name, kind: "user", created_at: now })
          .execute();
        if (name === "thrown") throw new Error("thrown");
        return name;
      });
    const names = ["first", "thrown", "first", "second", "ada", "third"];
    const results = await Promise.allSettled(names.map(insert));
    expect(results.map(({ status }) => status === "fulfilled")).toEqual([
      true,
      false,
      false,
      true,
      false,
      true,
    ]);
    const events = await server.hub.database
      .selectFrom("events")
      .orderBy("sequence")
      .select(["sequence", "subject", "hash", "previous_hash"])
      .execute();
    expect(events.slice(-3).map(({ subject }) => subject)).toEqual(["first", "second", "third"]);
    for (const [index, { sequence, previous_hash }] of events.entries()) {
      expect(sequence).toBe(index + 1);
      if (index > 0) expect(previous_hash).toBe(events[index - 1]?.hash);
    }
  });

  test("fail alone at the end of their transaction, where they share statements", async () => {
    // PostgreSQL rejects a text with a NUL, which only the statement of all events contains.
    const names = ["north", "south\0", "west"];
    const results = await Promise.allSettled(
      names.map((subject) =>
        change(server.hub, async ({ event }) =>
          event({ type: "user.created", actor: null, subject }),
        ),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const events = await server.hub.database
      .selectFrom("events")
      .orderBy("sequence", "desc")
      .limit(2)
      .select("subject")
      .execute();
    expect(events.map(({ subject }) => subject).toSorted()).toEqual(["north", "west"]);
  });

  test("accept a version once, and all others of the group", async () => {
    const publishes = ["1.0.0", "1.0.1", "1.0.0", "1.0.2", "1.0.0"].map((version) =>
      publish(server, "@ada/grouped", { as: ada, version }),
    );
    const statuses = (await Promise.all(publishes)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 201, 201, 409, 409]);
    const { revision } = await server.hub.database
      .selectFrom("packages")
      .where("name", "=", "@ada/grouped")
      .select("revision")
      .executeTakeFirstOrThrow();
    expect(revision).toBe(4);
  });
});

test("rejects the items that wait for a run that cannot begin, and runs later items", async () => {
  let runs = 0;
  const run = inGroups<number, number>({
    maxItems: 2,
    run: async (take) => {
      runs += 1;
      if (runs === 1) throw new Error("no connection");
      return take().map((item) => ({ status: "fulfilled", value: item * 2 }));
    },
  });
  const results = await Promise.allSettled([1, 2, 3].map(run));
  expect(results).toMatchObject([
    { status: "rejected" },
    { status: "rejected" },
    { status: "fulfilled", value: 6 },
  ]);
});
