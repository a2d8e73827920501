import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { test } from "vitest";

import { soakHub } from "./soak/hub-soak.ts";
import { soakServe } from "./soak/serve-soak.ts";
import { Soak } from "./soak/soak.ts";

/** The run lasts until each kind of fault has happened. */
const minutes = 0.5;

test.concurrent("the hub keeps each acknowledged version under load and faults", async ({
  expect,
}) => {
  await using database = await postgresDatabase();
  const report = await soakHub(new Soak(minutes), database.url, { between: 4, length: 4 });

  expect(report.acknowledged).toBeGreaterThan(10);
  expect(report.faults["kill"]).toBeGreaterThan(0);
  expect(report.faults["unreachable database"]).toBeGreaterThan(0);
  expect({ lost: report.lost, hangs: report.hangs }).toEqual({ lost: [], hangs: [] });
});

test.concurrent("no session of a server hangs when environments loop, hang, throw and exit", async ({
  expect,
}) => {
  const report = await soakServe(new Soak(minutes), 12);

  expect(report.steps).toBeGreaterThan(100);
  expect(report.requestedFailures).toBeGreaterThan(2);
  expect(report.hangs).toEqual([]);
});
