import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

import { sqlite } from "../../src/sqlite/sqlite.ts";

// Runs a query while this process is stopped, for longer than the query's limit plus the grace period of the host. Prints the
// result.
const limits = { ms: 500 };
await using box = await sqlite().create({ limits });
const count = (rows: number): string =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT 1 FROM n LIMIT 1 OFFSET ${rows - 1}`;
let rows = 1000;
while (!(await box.run(count(rows))).timedOut) rows *= 2;
const running = box.run(count(rows / 8));
await sleep(10);
spawn("sh", ["-c", `sleep 1.5; kill -CONT ${process.pid}`], { stdio: "ignore" });
process.kill(process.pid, "SIGSTOP");
console.log(JSON.stringify(await running));
