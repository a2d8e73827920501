import { startPostgres } from "@envs/hub-server/testing/postgres-server";
import { groupId, openQueue, type Lease } from "@envs/queue";

import type { Figure } from "../figure.ts";

const clients = 8;
const groups = Number(process.env["ENVS_BENCH_GROUPS"] ?? 2000);
/** The length of a row: some turns of text. */
const rowLength = 8000;

/** Groups per second that one PostgreSQL hands out and takes back, with all that a disk needs, for workers that play nothing. */
export async function completions(): Promise<readonly Figure[]> {
  const server = await startPostgres({ isDurable: true });
  try {
    const figures: Figure[] = [];
    for (const size of [1, 8]) {
      const seconds = await complete(server.url, size);
      const name = `eight clients: groups of ${size} rows of 8 kB, leased and completed`;
      figures.push({ name, value: groups / seconds, unit: "/s" });
    }
    return figures;
  } finally {
    await server.close();
  }
}

async function complete(url: string, size: number): Promise<number> {
  await using coordinator = await openQueue(url);
  const run = { id: crypto.randomUUID(), plan: "{}" };
  await coordinator.start(run);
  const rolloutIndices = Array.from({ length: size }, (_, index) => index);
  const all = Array.from({ length: groups }, (_, index) => ({
    example: { key: String(index), index, example: { prompt: `Repeat ${index}.` } },
    block: 0,
    rolloutIndices,
  }));
  for (let from = 0; from < groups; from += 64)
    await coordinator.enqueue(run.id, all.slice(from, from + 64));
  const row = (lease: Lease, index: number): string =>
    JSON.stringify({ id: `${groupId(run.id, lease.group)} ${index}`, text: "x".repeat(rowLength) });
  const before = performance.now();
  const client = async (): Promise<void> => {
    await using queue = await openQueue(url, { connections: 2 });
    const request = { worker: crypto.randomUUID(), ready: [run.id], refused: [] };
    for (;;) {
      const signal = AbortSignal.abort();
      const { leases } = await queue.lease({ ...request, rollouts: 8 * size, signal });
      if (leases.length === 0) return;
      for (const lease of leases)
        await queue.complete(
          lease,
          rolloutIndices.map((rolloutIndex) => ({ rolloutIndex, row: row(lease, rolloutIndex) })),
        );
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - before) / 1000;
  await coordinator.finish(run.id);
  return seconds;
}
