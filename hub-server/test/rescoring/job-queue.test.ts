import { beforeAll, beforeEach, expect, test } from "vitest";

import { queueRescoring } from "../../src/evaluations/runs/change-run.ts";
import {
  claimJob,
  finishJob,
  readRescoring,
  restrictedJobs,
} from "../../src/rescoring/job-queue.ts";
import { addUsage } from "../../src/rescoring/replay-usage.ts";
import { anyDatabase, type TestUser } from "../support/hub.ts";
import { seedEnvironment } from "../support/seed-environment.ts";
import type { SeededPackage } from "../support/seed-package.ts";
import { seedRun } from "../support/seed-run.ts";
import { sharedHub, sharedUser } from "../support/shared-hub.ts";

const server = sharedHub(anyDatabase, { HUB_REPLAY_SECONDS: "0", HUB_REPLAY_OWNER_SECONDS: "60" });
const ada = sharedUser(server, "ada");
const bob = sharedUser(server, "bob");
const eve = sharedUser(server, "eve");
const noon = new Date("2026-11-27T12:00:00Z");
const limits = {
  queue: "replay",
  now: noon,
  leaseMs: 60_000,
  maxRunning: 1,
  budgetMs: 60_000,
} as const;
let package_: SeededPackage;
let minutes = 0;

beforeAll(async () => {
  package_ = await seedEnvironment(server.hub, ada, { bare: "chess" });
});
beforeEach(async () => {
  const { database } = server.hub;
  await database.deleteFrom("runs").execute();
  await database.deleteFrom("replay_usage").execute();
});

/** Queues a run of a user, after those that were queued before. */
async function queue({ id: owner }: TestUser): Promise<string> {
  const { database } = server.hub;
  const run = await seedRun(server.hub, package_, { kind: "evaluation", owner });
  minutes += 1;
  const at = new Date(noon.getTime() - 1_000_000_000 + minutes * 60_000);
  await queueRescoring(database, { id: run, owner_id: owner }, at);
  return run;
}

/** The runs that a hub would claim, one after the other, if each replay took the given time. */
async function order(millisecondsOf: (owner: number) => number): Promise<readonly string[]> {
  const { database } = server.hub;
  const names = new Map([ada, bob, eve].map(({ id, name }) => [id, name]));
  const claimed: string[] = [];
  for (;;) {
    const job = await claimJob(database, limits);
    if (job === undefined) return claimed;
    claimed.push(names.get(job.owner_id) ?? "");
    await finishJob(database, job, { result: { outcome: "impossible", reason: "" }, now: noon });
    const milliseconds = millisecondsOf(job.owner_id);
    await addUsage(database, job.owner_id, { queue: "replay", milliseconds, now: noon });
  }
}

test("claims a job of the owner whose replays took the least time today", async () => {
  for (let count = 0; count < 3; count += 1) await queue(eve);
  for (let count = 0; count < 2; count += 1) for (const user of [ada, bob]) await queue(user);
  const claimed = await order((owner) => (owner === eve.id ? 10_000 : 1000));
  expect(claimed).toEqual(["eve", "ada", "bob", "ada", "bob", "eve", "eve"]);
});

test("skips jobs of a quarantined package until moderators restore it", async () => {
  const { database } = server.hub;
  const restrict = (restriction: "quarantined" | null) =>
    database.updateTable("packages").set({ restriction }).where("id", "=", package_.id).execute();
  await queue(ada);
  await restrict("quarantined");
  expect(await claimJob(database, limits)).toBeUndefined();
  await restrict(null);
  const job = await claimJob(database, limits);
  expect(job).toMatchObject({ owner_id: ada.id });
  expect([...(await restrictedJobs(database, [job!.id]))]).toEqual([]);
  await restrict("quarantined");
  expect([...(await restrictedJobs(database, [job!.id]))]).toEqual([job!.id]);
  await restrict(null);
});

test("leaves a worker to other owners", async () => {
  await queue(eve);
  await queue(eve);
  await queue(eve);
  const two = { ...limits, maxRunning: 2 };
  const { database } = server.hub;
  expect(await claimJob(database, two)).toMatchObject({ owner_id: eve.id });
  expect(await claimJob(database, two)).toMatchObject({ owner_id: eve.id });
  expect(await claimJob(database, two)).toBeUndefined();
  await queue(ada);
  expect(await claimJob(database, two)).toMatchObject({ owner_id: ada.id });
  const later = { ...two, now: new Date(noon.getTime() + 61_000) };
  expect(await claimJob(database, later)).toMatchObject({ attempts: 2 });
});

test("defers the jobs of an owner whose time is used up to the next day, with the reason", async () => {
  server.advanceClock(noon.getTime() - server.hub.clock().getTime());
  for (let count = 0; count < 4; count += 1) await queue(eve);
  const last = await queue(eve);
  expect(await order(() => 20_000)).toEqual(["eve", "eve", "eve"]);
  expect(await readRescoring(server.hub, last)).toEqual({
    outcome: "waiting",
    reason:
      "The replays of this user took 60 seconds today. Each user has 60 seconds a day on this hub, so it continues tomorrow (UTC).",
  });
  const tomorrow = { ...limits, now: new Date("2026-11-28T00:00:00Z") };
  expect(await claimJob(server.hub.database, tomorrow)).toMatchObject({ owner_id: eve.id });
});

test("gives concurrent callers different jobs", async () => {
  for (let count = 0; count < 3; count += 1) for (const user of [ada, bob]) await queue(user);
  const wide = { ...limits, maxRunning: 100 };
  const jobs = await Promise.all(
    Array.from({ length: 6 }, () => claimJob(server.hub.database, wide)),
  );
  const ids = jobs.flatMap((job) => job?.id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
});

test("claims plays apart from replays, with another budget", async () => {
  const { database } = server.hub;
  const played = await queue(eve);
  const play = { kind: "play", owner_id: eve.id, created_at: noon } as const;
  await database
    .insertInto("replay_jobs")
    .values({ ...play, played_run_id: played })
    .execute();
  await addUsage(database, eve.id, { queue: "replay", milliseconds: 60_000, now: noon });
  expect(await claimJob(database, limits)).toBeUndefined();
  const plays = { ...limits, queue: "play" } as const;
  expect(await claimJob(database, plays)).toMatchObject({ kind: "play", played_run_id: played });
});
