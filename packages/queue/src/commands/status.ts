import { integerOption, onInterrupt, defineCommand, valueOption, flag } from "@envs/cli/kit";
import { liveLines } from "@envs/cli/kit/layout";
import { sleep } from "@envs/core/engine";

import type { CoordinatorQueue } from "../queue.ts";
import { noteWaiting } from "./note-waiting.ts";
import { queueArgument, queueReference } from "./queue-reference.ts";
import { queueJson, queueTable, type QueueView } from "./queue-table.ts";

export const command = defineCommand({
  meta: {
    name: "queue status",
    description:
      "Show the workers of a queue and its open runs: hosts, rollouts per second, failures, lag. Watches until Ctrl-C in a terminal; --json with --watch prints a line at each update",
  },
  args: {
    queue: queueArgument,
    watch: flag("Update until Ctrl-C (default: in a terminal, without --json)"),
    interval: valueOption("Time between updates (default 2)", "seconds"),
    json: flag("Print JSON"),
  },
  async run({ args }): Promise<number> {
    const { openQueue } = await import("../open-queue.ts");
    const interval = (integerOption("interval", args.interval) ?? 2) * 1000;
    const isJson = args.json === true;
    const isWatching = args.watch ?? (!isJson && process.stdout.isTTY);
    await using queue = await openQueue(queueReference(args.queue), {
      connections: 2,
      ...noteWaiting((text) => void process.stderr.write(`${text}\n`)),
    });
    let view = await readView(queue);
    if (!isWatching) {
      process.stdout.write(
        isJson ? `${JSON.stringify(queueJson(view))}\n` : `${queueTable(view)}\n`,
      );
      return 0;
    }
    const interrupt = onInterrupt(() => {});
    const lines = liveLines(process.stdout);
    try {
      while (!interrupt.signal.aborted) {
        if (isJson) process.stdout.write(`${JSON.stringify(queueJson(view))}\n`);
        else lines.draw(queueTable(view).split("\n"));
        await sleep(interval, interrupt.signal).catch(() => {});
        if (!interrupt.signal.aborted) view = await readView(queue, view);
      }
    } finally {
      lines.done();
      interrupt.dispose();
    }
    return 0;
  },
});

/** Rates are over the time between two heartbeats, which may be longer than that between two views. */
async function readView(queue: CoordinatorQueue, last?: QueueView): Promise<QueueView> {
  const [runs, workers] = await Promise.all([queue.openRuns(), queue.workers()]);
  const earlier = (last?.workers ?? []).flatMap((worker) => {
    const isSame = workers.some(({ id, seenAt }) => id === worker.id && seenAt === worker.seenAt);
    return isSame ? (last?.earlier.filter(({ id }) => id === worker.id) ?? []) : [worker];
  });
  return { runs, workers, earlier };
}
