import { join } from "node:path";

import { startPostgres } from "@envs/hub-server/testing/postgres-server";

import type { Figure } from "./figure.ts";
import { completions } from "./queue/completions.ts";
import { evaluate, rolloutsOfExample, withWorkers } from "./queue/processes.ts";

const environment = join(import.meta.dirname, "queue/pace.ts");

/** Rollouts that a worker plays at once, so that one worker alone needs little of a core. */
const concurrency = 8;
const policySeconds = 0.05;
const secondsOfPlay = 10;
const instantRollouts = Number(process.env["ENVS_BENCH_ROLLOUTS"] ?? 8000);

/** Rollouts per second of 1 to 8 workers on one PostgreSQL, what the queue adds to an instant rollout, and where PostgreSQL ends. */
export async function queue(): Promise<readonly Figure[]> {
  const server = await startPostgres();
  try {
    const figures: Figure[] = [];
    for (const count of [1, 2, 4, 8]) {
      const ideal = (count * concurrency) / policySeconds;
      const jobs = Math.ceil((ideal * secondsOfPlay) / rolloutsOfExample);
      const rollouts = jobs * rolloutsOfExample;
      const args = ["-m", "policy:server", "--queue", server.url];
      const seconds = await withWorkers(server.url, { count, atOnce: concurrency }, () =>
        evaluate(environment, rollouts, args),
      );
      const name = `${count} worker${count === 1 ? "" : "s"} of ${concurrency}: rollouts of a model of 50 ms`;
      figures.push({ name, value: rollouts / seconds, unit: "/s" });
      figures.push({
        name: `${count} worker${count === 1 ? "" : "s"}: share of the ideal`,
        value: rollouts / seconds / ideal,
        unit: "×",
        aim: { at: "least", value: 0.95 },
      });
    }
    const alone = await evaluate(environment, instantRollouts, ["-m", "policy:instant"]);
    const queued = await withWorkers(server.url, { count: 1, atOnce: 64 }, () =>
      evaluate(environment, instantRollouts, ["-m", "policy:instant", "--queue", server.url]),
    );
    figures.push({
      name: `the queue's overhead per instant rollout, of ${instantRollouts}`,
      value: ((queued - alone) / instantRollouts) * 1000,
      unit: "ms",
    });
    figures.push({
      name: "one worker: instant rollouts",
      value: instantRollouts / queued,
      unit: "/s",
    });
    return [...figures, ...(await completions())];
  } finally {
    await server.close();
  }
}
