import type { Rollout } from "@envs/core";
import { hubClient } from "@envs/hub-client";
import { beforeAll, beforeEach, expect, test } from "vitest";

import { anyDatabase, type TestUser } from "./support/hub.ts";
import {
  type RepeatLie,
  repeatLies,
  sampledExamples,
  sampledRollouts,
} from "./support/lies/repeat-lies.ts";
import { escapedName } from "./support/package-document.ts";
import { pushDeclared, pushRun, testRun } from "./support/runs.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const server = sharedHub(anyDatabase, { HUB_LIMITS: "off", HUB_REPLAY_SECONDS: "0" });
const ada = sharedUser(server, "ada");
const bob = sharedUser(server, "bob");
const carol = sharedUser(server, "carol");
const owner = sharedUser(server, "owner");
let name = "";
let model = "";
let first = "";
let attempt = 0;

async function push(
  user: TestUser,
  rollouts: readonly Rollout[],
  {
    reproduces,
    sampling = {},
    isDeclared = false,
  }: {
    reproduces?: string;
    sampling?: RepeatLie["sampling"] | undefined;
    isDeclared?: boolean | undefined;
  } = {},
): Promise<string> {
  const details = {
    examples: sampledExamples,
    rolloutsPerExample: 2,
    attempt: (attempt += 1),
    ...(reproduces !== undefined && { reproduces }),
  };
  const run = await testRun(server, name, rollouts, { model, details, sampling: { ...sampling } });
  return await (isDeclared ? pushDeclared : pushRun)(server, user, run);
}

const badgeOf = async (run: string) =>
  (await hubClient({ url: server.url }).readRun({ run })).badges.find(
    (badge) => badge.name === "reproduced",
  );
const pageOf = async (run: string) => await (await server.request(`/run/${run}`)).text();

beforeAll(async () => {
  const scores = [{ name: "win", weight: 1, isGroup: false, range: [0, 1] as [number, number] }];
  name = (await seedEnvironment(server.hub, owner, { bare: "chess", manifest: { scores } })).name;
});
beforeEach(async ({ task }) => {
  model = task.name.slice(0, 60).trim();
  first = await push(ada, sampledRollouts({ seed: "first" }));
});

test("counts another user's run with new replies, and names its user", async () => {
  const again = await push(bob, sampledRollouts({ seed: "bob" }), { reproduces: first });
  expect(await badgeOf(first)).toMatchObject({
    evidence: { by: ["bob"], runs: [{ run: again, by: "bob" }] },
  });
  await push(carol, sampledRollouts({ seed: "carol" }), { reproduces: first });
  await push(carol, sampledRollouts({ seed: "carol again" }), { reproduces: first });
  expect(await badgeOf(first)).toMatchObject({ evidence: { by: ["bob", "carol"] } });
  const board = await (await server.request(`/package/${name}/evaluations`)).text();
  expect(board).toContain("reproduced by bob and 1 more");
  expect(await badgeOf(again)).toBeUndefined();
});

test.each(repeatLies.map((lie) => [lie.name, lie.answer, lie] as const))(
  "does not count a repeat if %s → %s",
  async (_, answer, { by, repeat, sampling, isFirstDeclared }) => {
    if (isFirstDeclared === true)
      first = await push(ada, sampledRollouts({ seed: "declared" }), { isDeclared: true });
    const user = { first: ada, publisher: owner, stranger: bob, "later-publisher": bob }[by];
    const rollouts = repeat(sampledRollouts({ seed: isFirstDeclared ? "declared" : "first" }));
    await push(user, rollouts, { reproduces: first, sampling });
    const path = `/-/package/${escapedName(name)}/owners`;
    const isLater = by === "later-publisher";
    if (isLater) await server.request(path, { method: "PUT", body: { user: "bob" }, as: owner });
    expect(await badgeOf(first)).toBeUndefined();
    expect(await pageOf(first)).toContain(answer);
    if (isLater) await server.request(`${path}/bob`, { method: "DELETE", as: owner });
  },
);

test("does not count a copy of another repeat", async () => {
  const replies = sampledRollouts({ seed: "bob" });
  await push(bob, replies, { reproduces: first });
  await push(carol, replies, { reproduces: first });
  expect(await badgeOf(first)).toMatchObject({ evidence: { by: ["bob"] } });
});

test("counts replies that sampling repeats as often", async () => {
  const again = await push(ada, sampledRollouts({ seed: "short", vocabulary: 2 }));
  await push(bob, sampledRollouts({ seed: "short again", vocabulary: 2, mean: 0.4 }), {
    reproduces: again,
  });
  expect(await badgeOf(again)).toMatchObject({ evidence: { by: ["bob"] } });
});

test("takes the badge away if the repeat is refuted or deleted", async () => {
  const again = await push(bob, sampledRollouts({ seed: "bob" }), { reproduces: first });
  await server.hub.database
    .updateTable("replay_jobs")
    .set({ state: "done", result: JSON.stringify({ outcome: "different" }) })
    .where("run_id", "=", again)
    .execute();
  expect(await badgeOf(first)).toBeUndefined();
  expect(await pageOf(first)).toContain("the hub replayed it and got other scores");
  await hubClient({ url: server.url, token: bob.token }).deleteRun({ run: again });
  expect(await pageOf(first)).not.toContain("Repeated");
});
