import { parseArgs } from "node:util";

import { startPostgres } from "@envs/hub-server/testing/postgres-server";

import { soakGateway } from "./gateway-soak.ts";
import { soakHub } from "./hub-soak.ts";
import { soakQueue } from "./queue-soak.ts";
import { soakServe } from "./serve-soak.ts";
import { Soak } from "./soak.ts";

/**
 * Runs a hub, a server of environments, a queue and a gateway under load and faults. Prints one JSON object; exits with 1 after a loss or
 * a hang, or if memory grew.
 */
const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  process.stderr.write(`Invalid --minutes ${values.minutes}. Pass a number above 0.\n`);
  process.exit(2);
}
/** The growth of a server's resident memory in MiB per hour that counts as flat. */
const maxSlope = 60;
/** The minutes after which caches and pools are full, so that growth is a leak. */
const minutesToFlat = 30;
const soak = new Soak(minutes);
const postgres = await startPostgres();
const [hub, serve, queue, gateway] = await Promise.all([
  soakHub(soak, postgres.url),
  soakServe(soak),
  soakQueue(soak, postgres.url),
  soakGateway(soak, minutes),
]);
await postgres.close();
const memory = await soak.memory();
const report = { minutes, hub, serve, queue, gateway, memory };
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
const problems = [hub, queue, gateway].flatMap(({ lost }) => lost).concat(queue.misjudged);
const hangs = [hub, serve, queue, gateway].flatMap((part) => part.hangs);
const grown = Object.values(memory).filter(({ slope }) => slope > maxSlope);
const isGrown = minutes >= minutesToFlat && grown.length > 0;
process.exitCode = problems.length + hangs.length > 0 || isGrown ? 1 : 0;
