/** The entry point of a process that `EpisodeWorker` starts. It runs episodes, and has no connections to clients. */
import { Worker } from "node:worker_threads";

import { isolateRollouts } from "@envs/records/node";

import type { EpisodeHost } from "../host/episode-host.ts";
import { inlineHosts } from "../host/inline-hosts.ts";
import {
  isMovable,
  type ServerMessage,
  type WorkerCall,
  type WorkerMessage,
  type WorkerResult,
  type WorkerSetup,
} from "./messages.ts";
import { serializeError } from "./serialized-error.ts";
import { moduleUrl } from "./source-module.ts";

const exit = process.exit.bind(process);
const sendToServer = process.send!.bind(process);
// `process.exit` would end the episodes of all sessions; an error ends only the episode that called it.
process.exit = () => {
  throw new Error("An environment called process.exit(). Throw an error instead.");
};
// An error that no code awaits fails only the session whose environment caused it.
isolateRollouts({
  onUnattributed: (error) => send({ kind: "report", error: serializeError(error) }),
});

let hosts: readonly EpisodeHost[] = [];
let results: WorkerResult[] = [];
let isSending = false;

function send(message: WorkerMessage): void {
  if (process.connected) sendToServer(message, undefined, undefined, () => undefined);
}

async function start({ references, options }: WorkerSetup): Promise<void> {
  try {
    hosts = await inlineHosts(references, options);
    send({ kind: "ready", cards: hosts.map(({ card }) => card) });
  } catch (error) {
    send({ kind: "failed", error: serializeError(error) });
  }
}

async function run([id, environment, method, parameters]: WorkerCall): Promise<void> {
  // Sent before the environment's code runs: a call that blocks this process must not move to the next one.
  if (isMovable(method)) send({ kind: "begin", call: id });
  try {
    const call = hosts[environment]![method] as (...args: readonly unknown[]) => Promise<unknown>;
    // JSON has no `undefined`.
    const result = await call(...parameters.map((value) => value ?? undefined));
    results.push([id, result]);
  } catch (error) {
    results.push([id, null, serializeError(error)]);
  }
  sendResults();
}

/** Sends the results of one turn of the event loop as one message. An empty one confirms that calls were received. */
function sendResults(): void {
  if (isSending) return;
  isSending = true;
  setImmediate(() => {
    send({ kind: "results", results });
    results = [];
    isSending = false;
  });
}

async function close(): Promise<void> {
  await Promise.allSettled(hosts.map((host) => host[Symbol.asyncDispose]()));
  exit(0);
}

process.on("message", (message: ServerMessage) => {
  switch (message.kind) {
    case "setup":
      return void start(message.setup);
    case "calls":
      for (const call of message.calls) void run(call);
      return sendResults();
    case "ping":
      return send({ kind: "pong" });
    case "close":
      return void close();
  }
});
// The server has ended.
process.on("disconnect", () => exit(1));

// The server decides when its workers end. A terminal sends these signals to all of them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

const watch = new Worker(moduleUrl("orphan-watch"), {
  workerData: process.ppid,
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 },
});
watch.unref();
