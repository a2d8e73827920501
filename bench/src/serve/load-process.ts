import { EchoClient, question } from "./echo-client.ts";
import type { Asked, Opened, Order, Played } from "./load.ts";

/** How long all sessions together may take to open, to step or to close, in milliseconds. */
const patience = 120_000;

let held: readonly EchoClient[] = [];
let heldAt: Asked;

process.on("message", (order: Order) => void obey(order).then((result) => process.send!(result)));

async function obey(order: Order): Promise<Opened> {
  switch (order.kind) {
    case "play":
      return play(order, order.sessions, order.steps);
    case "hold":
      heldAt = order;
      return hold(order.sessions);
    case "storm": {
      const before = held;
      for (const client of before) client.drop();
      return hold(before.length);
    }
  }
}

async function hold(sessions: number): Promise<Opened> {
  const { clients, opened } = await open(heldAt, sessions);
  held = clients;
  return opened;
}

async function play(asked: Asked, sessions: number, steps: number): Promise<Played> {
  const { clients, opened } = await open(asked, sessions);
  const step = question(asked.step.text, asked.step.answer);
  const times: number[] = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const played = await all(clients, async (client) => {
    for (let count = 0; count < steps; count += 1) {
      const asking = performance.now();
      await client.ask(step);
      times.push(performance.now() - asking);
    }
  });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const closed = await all(played.done, (client) => client.close());
  times.sort((a, b) => a - b);
  const below = (share: number): number =>
    times[Math.max(Math.ceil(times.length * share) - 1, 0)] ?? Number.NaN;
  return {
    ...opened,
    done: closed.done.length,
    problem: opened.problem ?? played.problem ?? closed.problem,
    p50: below(0.5),
    p95: below(0.95),
    p99: below(0.99),
    stepsPerSecond: times.length / seconds,
    loadCores: (user + system) / 1e6 / seconds,
  };
}

/** Opens sessions, all at once. */
async function open(
  { url, reset }: Asked,
  sessions: number,
): Promise<{ readonly clients: readonly EchoClient[]; readonly opened: Opened }> {
  const start = performance.now();
  const asked = question(reset.text, reset.answer);
  const clients = Array.from({ length: sessions }, () => new EchoClient(url));
  const { done, problem } = await all(clients, async (client) => {
    await client.opened();
    await client.ask(asked);
  });
  const seconds = (performance.now() - start) / 1000;
  return { clients: done, opened: { sessions, done: done.length, seconds, problem } };
}

/** Does something with many clients at once: with which it went well, and what went wrong first. */
async function all(
  clients: readonly EchoClient[],
  work: (client: EchoClient) => Promise<void>,
): Promise<{ readonly done: readonly EchoClient[]; readonly problem: string | undefined }> {
  const late = setTimeout(() => {
    for (const client of clients) client.fail(new Error(`No answer for ${patience / 1000} s.`));
  }, patience);
  const done: EchoClient[] = [];
  let problem: string | undefined;
  await Promise.all(
    clients.map(async (client) => {
      try {
        await work(client);
        done.push(client);
      } catch (error) {
        problem ??= String(error);
        client.drop();
      }
    }),
  );
  clearTimeout(late);
  return { done, problem };
}
