import { parseArgs } from "node:util";

import { startPostgres } from "@envs/hub-testing/postgres-server";

import { soakHub } from "./hub-soak.ts";
import { soakServe } from "./serve-soak.ts";
import { Soak } from "./soak.ts";

/** Runs a hub and a server of environments under load and faults. Prints one JSON object; exits with 1 after a loss or a hang. */
const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  process.stderr.write(`Invalid --minutes ${values.minutes}. Pass a number above 0.\n`);
  process.exit(2);
}
const soak = new Soak(minutes);
const postgres = await startPostgres();
const [hub, serve] = await Promise.all([soakHub(soak, postgres.url), soakServe(soak)]);
await postgres.close();
process.stdout.write(
  `${JSON.stringify({ minutes, hub, serve, memory: await soak.memory() }, undefined, 2)}\n`,
);
process.exitCode = hub.lost.length + hub.hangs.length + serve.hangs.length > 0 ? 1 : 0;
