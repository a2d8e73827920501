import { randomUUID } from "node:crypto";

import { hubClient } from "@envs/hub-client";
import { afterEach, beforeEach, expect, test } from "vitest";

import { newToken, secretHash, tokenPreview } from "../src/identity/credentials/secret.ts";
import { testHub, type TestHub, type TestUser } from "./support/hub.ts";
import { compressed, pushRun, testRollout, testRun } from "./support/runs.ts";
import { seedEnvironment } from "./support/seed-environment.ts";

let server: TestHub;
let ada: TestUser;
let name: string;

/** Starts a hub with one environment. */
async function start(variables: Readonly<Record<string, string>> = {}): Promise<void> {
  server = await testHub("server", variables);
  ada = await server.createUser("ada");
  ({ name } = await seedEnvironment(server.hub, ada, { bare: "chess" }));
}

beforeEach(() => start());
afterEach(() => server.close());

async function token(limits: {
  readonly readonly?: boolean;
  readonly packages?: readonly string[];
}): Promise<string> {
  const secret = newToken();
  await server.hub.database
    .insertInto("tokens")
    .values({
      id: randomUUID(),
      user_id: ada.id,
      secret_hash: secretHash(secret),
      preview: tokenPreview(secret),
      created_at: server.hub.clock(),
      readonly: limits.readonly ?? false,
      packages: limits.packages === undefined ? null : [...limits.packages],
    })
    .execute();
  return secret;
}

const rollouts = [testRollout({}), testRollout({ example: 1, scores: { win: 0 } })];
const newRun = (seed: number) => testRun(server, name, rollouts, { seed });

test.each([
  ["without a token", undefined, "unauthorized"],
  ["with a read-only token", { readonly: true }, "read-only-token"],
  ["with a token for another package", { packages: ["@ada/other"] }, "token-out-of-reach"],
])("rejects a run %s", async (_, limits, code) => {
  const secret = limits === undefined ? "" : await token(limits);
  const options = secret === "" ? {} : { token: secret };
  const { upload } = await newRun(1);
  const create = hubClient({ url: server.url, ...options }).createRun(upload);
  await expect(create).rejects.toMatchObject({ code });
});

test("accepts a run with a token for its package, and of a user who only reads it", async () => {
  const limited = { token: await token({ packages: [name] }) };
  await pushRun(server, limited, await newRun(1));
  await pushRun(server, await server.createUser("bob"), await newRun(2));
  const { items } = await hubClient({ url: server.url }).listRuns({ name });
  expect(items.map(({ owner }) => owner).toSorted()).toEqual(["ada", "bob"]);
});

test("rejects the parts and the completion of another user", async () => {
  const { upload, parts } = await newRun(1);
  const { id } = await hubClient({ url: server.url, token: ada.token }).createRun(upload);
  const bob = hubClient({ url: server.url, token: (await server.createUser("bob")).token });
  const content = compressed(parts[0]!);
  for (const attempt of [
    () => bob.uploadRunPart({ run: id, part: 0, content }),
    () => bob.completeRun({ run: id }),
    () => bob.deleteRun({ run: id }),
  ])
    await expect(attempt()).rejects.toMatchObject({ status: 404 });
});

test("limits the runs per hour, the rollouts and the bytes of a run", async () => {
  await server.close();
  await start({ HUB_RUNS_PER_HOUR: "2", HUB_RUN_ROLLOUTS: "3", HUB_RUN_BYTES: "5000" });
  await pushRun(server, ada, await newRun(1));
  await pushRun(server, ada, await newRun(2));
  await expect(pushRun(server, ada, await newRun(3))).rejects.toMatchObject({
    code: "too-many-runs",
    status: 429,
  });
  server.advanceClock(3_600_000);
  await pushRun(server, ada, await newRun(3));
  const many = [0, 1, 2, 3].map((example) => testRollout({ example }));
  const large = [testRollout({ reply: "x".repeat(5000) })];
  for (const played of [many, large])
    await expect(pushRun(server, ada, await testRun(server, name, played))).rejects.toMatchObject({
      code: "run-too-large",
    });
});

test("counts the parts of runs towards the quota of the user who pushes", async () => {
  await server.close();
  await start({ HUB_OWNER_BYTES: "2000" });
  await pushRun(server, ada, await newRun(1));
  const rest = async (): Promise<void> => {
    for (let seed = 2; seed < 10; seed += 1) await pushRun(server, ada, await newRun(seed));
  };
  await expect(rest()).rejects.toMatchObject({ code: "owner-full" });
  const bob = await server.createUser("bob");
  await pushRun(server, bob, await newRun(20));
});
