/** The entry point of a process that `EpisodeWorker` starts. It runs episodes, and has no connections to clients. */
import { Socket } from "node:net";
import { Worker } from "node:worker_threads";

import { isolateRollouts } from "@envs/records/node";

import type { EpisodeHost } from "../host/episode-host.ts";
import { inlineHosts } from "../host/inline-hosts.ts";
import {
  isMovable,
  type ServerMessage,
  type WorkerCall,
  type WorkerMessage,
  type WorkerSetup,
} from "./messages.ts";
import { encodePacket, readPackets, workerFd } from "./packets.ts";
import { serializeError } from "./serialized-error.ts";

const exit = process.exit.bind(process);
const pipe = new Socket({ fd: workerFd });
// `process.exit` would end the episodes of all sessions; an error ends only the episode that called it.
process.exit = () => {
  throw new Error("An environment called process.exit(). Throw an error instead.");
};
// An error that no code awaits fails only the session whose environment caused it.
isolateRollouts({
  onUnattributed: (error) => send({ kind: "report", error: serializeError(error) }),
});

let hosts: readonly EpisodeHost[] = [];
let unsent: WorkerMessage[] = [];
let isSendScheduled = false;
/** The movable calls whose code runs, or that the server does not know to wait. */
const begun = new Set<number>();

function send(message: WorkerMessage): void {
  unsent.push(message);
  sendSoon();
}

/** Sends the messages of one turn of the event loop as one packet. An empty one confirms that calls were received. */
function sendSoon(): void {
  if (isSendScheduled) return;
  isSendScheduled = true;
  setImmediate(() => {
    isSendScheduled = false;
    flush();
  });
}

function flush(): void {
  for (const call of begun) unsent.push({ kind: "wait", call });
  begun.clear();
  if (pipe.writable) pipe.write(encodePacket(unsent));
  unsent = [];
}

async function start({ references, options, cards }: WorkerSetup): Promise<void> {
  try {
    hosts = await inlineHosts(references, options, cards);
    send({ kind: "ready", cards: hosts.map(({ card }) => card) });
  } catch (error) {
    send({ kind: "failed", error: serializeError(error) });
  }
}

async function run([id, environment, method, parameters]: WorkerCall): Promise<void> {
  // Sent before the environment's code runs: a call that blocks this process must not move to the next one.
  if (isMovable(method)) {
    unsent.push({ kind: "begin", call: id });
    flush();
    begun.add(id);
  }
  try {
    const call = hosts[environment]![method] as (...args: readonly unknown[]) => Promise<unknown>;
    // JSON has no `undefined`.
    const result = await call(...parameters.map((value) => value ?? undefined));
    send([id, result]);
  } catch (error) {
    send([id, null, serializeError(error)]);
  } finally {
    begun.delete(id);
  }
}

async function close(): Promise<void> {
  await Promise.allSettled(hosts.map((host) => host[Symbol.asyncDispose]()));
  exit(0);
}

readPackets(pipe, (messages) => {
  for (const message of messages as readonly ServerMessage[])
    if (!("kind" in message)) {
      // Steps run first: while one blocks this process, the server moves calls that have not begun.
      if (message[2] === "step") void run(message);
      else setImmediate(() => void run(message));
    } else if (message.kind === "setup") void start(message.setup);
    else void close();
  sendSoon();
});
// The server has ended.
pipe.on("close", () => exit(1));

// The server decides when its workers end. A terminal sends these signals to all of them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

/** Ends this process once the server has ended, even while an environment blocks the main thread. Source text takes less memory. */
const orphanWatch = `
  setInterval(() => {
    if (process.ppid !== ${process.ppid}) process.kill(process.pid, "SIGKILL");
  }, 500);`;
const watch = new Worker(orphanWatch, {
  eval: true,
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 },
});
watch.unref();
