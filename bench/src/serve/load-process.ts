import { EchoClient, encodeRequest } from "./echo-client.ts";
import type { LoadCommand, OpenResult, PlayResult, Target } from "./load.ts";

/** The time limit for opening, stepping or closing all sessions together. */
const timeoutMs = 120_000;

let idleClients: readonly EchoClient[] = [];
let idleTarget: Target;

process.on(
  "message",
  (command: LoadCommand) => void execute(command).then((result) => process.send!(result)),
);

async function execute(command: LoadCommand): Promise<OpenResult> {
  switch (command.kind) {
    case "play":
      return play(command, command.sessions, command.steps);
    case "hold":
      idleTarget = command;
      return hold(command.sessions);
    case "reopen": {
      const dropped = idleClients;
      for (const client of dropped) client.drop();
      return hold(dropped.length);
    }
  }
}

async function hold(sessions: number): Promise<OpenResult> {
  const { clients, opened } = await open(idleTarget, sessions);
  idleClients = clients;
  return opened;
}

async function play(target: Target, sessions: number, steps: number): Promise<PlayResult> {
  const { clients, opened } = await open(target, sessions);
  const step = encodeRequest(target.step);
  const times: number[] = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const played = await forAll(clients, async (client) => {
    for (let count = 0; count < steps; count += 1) {
      const sent = performance.now();
      await client.send(step);
      times.push(performance.now() - sent);
    }
  });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const closed = await forAll(played.succeeded, (client) => client.close());
  times.sort((a, b) => a - b);
  const percentile = (share: number): number =>
    times[Math.max(Math.ceil(times.length * share) - 1, 0)] ?? Number.NaN;
  return {
    ...opened,
    succeeded: closed.succeeded.length,
    problem: opened.problem ?? played.problem ?? closed.problem,
    p50: percentile(0.5),
    p95: percentile(0.95),
    p99: percentile(0.99),
    stepsPerSecond: times.length / seconds,
    loadCores: (user + system) / 1e6 / seconds,
  };
}

/** Opens and resets sessions, all at once. */
async function open(
  { url, reset }: Target,
  sessions: number,
): Promise<{ readonly clients: readonly EchoClient[]; readonly opened: OpenResult }> {
  const start = performance.now();
  const resetRequest = encodeRequest(reset);
  const clients = Array.from({ length: sessions }, () => new EchoClient(url));
  const { succeeded, problem } = await forAll(clients, async (client) => {
    await client.opened();
    await client.send(resetRequest);
  });
  const seconds = (performance.now() - start) / 1000;
  return {
    clients: succeeded,
    opened: { sessions, succeeded: succeeded.length, seconds, problem },
  };
}

/** Runs `work` for all clients at once. Returns those for which it succeeded, and the first error. */
async function forAll(
  clients: readonly EchoClient[],
  work: (client: EchoClient) => Promise<void>,
): Promise<{ readonly succeeded: readonly EchoClient[]; readonly problem: string | undefined }> {
  const timeout = setTimeout(() => {
    for (const client of clients) client.fail(new Error(`Timed out after ${timeoutMs / 1000} s.`));
  }, timeoutMs);
  const succeeded: EchoClient[] = [];
  let problem: string | undefined;
  await Promise.all(
    clients.map(async (client) => {
      try {
        await work(client);
        succeeded.push(client);
      } catch (error) {
        problem ??= String(error);
        client.drop();
      }
    }),
  );
  clearTimeout(timeout);
  return { succeeded, problem };
}
