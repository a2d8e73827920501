/** The entry point of a process that `ServerProcess` starts. It has its own connections and its own episodes. */
import { Worker } from "node:worker_threads";

import { messageOf } from "@envs/core/engine";
import { isolateRollouts } from "@envs/records/node";

import { type ApplicationServer, startApplication } from "../application-server.ts";
import { inlineHosts } from "../host/inline-hosts.ts";
import { Forwarder } from "./forwarder.ts";
import type { ProcessSetup } from "./messages.ts";
import { PrimaryLink, remoteRegistry } from "./primary-link.ts";
import { serializeError } from "./serialized-error.ts";
import { moduleUrl } from "./source-module.ts";

const exit = process.exit.bind(process);
// `process.exit` would end the episodes of all sessions; an error ends only the episode that called it.
process.exit = () => {
  throw new Error("An environment called process.exit(). Throw an error instead.");
};
// An error that no code awaits fails only the session whose environment caused it.
let reportUnattributed = (error: unknown): void =>
  void process.stderr.write(`${messageOf(error)}\n`);
isolateRollouts({ onUnattributed: (error) => reportUnattributed(error) });
const link = new PrimaryLink();
const forwarder = new Forwarder(link);
const starting = Promise.withResolvers<ApplicationServer>();
// The primary receives the rejection.
starting.promise.catch(() => undefined);

async function start(setup: ProcessSetup): Promise<ApplicationServer> {
  const { references, options, socketPath, beatMs } = setup;
  const { sessions = 4096 } = options;
  const counter = (name: string): Promise<number> => link.call("nextTask", name);
  const hosts = await inlineHosts(references, options, counter);
  const server = await startApplication(hosts, options, {
    registry: remoteRegistry(link, sessions),
    status: () => link.call("status", null),
    forwarder,
  });
  reportUnattributed = (error) =>
    server.app.log.error({ err: error }, "No code handles this error. It belongs to no session.");
  await server.app.listen({ path: socketPath });
  const beat = setInterval(() => {
    const { busyCount: busy, stuckCount: stuck, timeouts } = server.sessions;
    link.send({ kind: "beat", busy, stuck, timeouts });
  }, beatMs);
  beat.unref();
  return server;
}

link.listen({
  setup(setup) {
    starting.resolve(start(setup));
    starting.promise.then(
      () => link.send({ kind: "ready" }),
      (error: unknown) => link.send({ kind: "failed", error: serializeError(error) }),
    );
  },
  connection(socket) {
    socket.on("error", () => undefined);
    socket.on("close", () => link.send({ kind: "disconnected" }));
    // The value that the HTTP server sets on connections that it accepts itself.
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    forwarder.addDirect(socket);
    void starting.promise.then(({ app }) => {
      app.server.emit("connection", socket);
      socket.resume();
    });
  },
  disconnect: () => exit(1),
  close(drainMs) {
    void starting.promise
      .then((server) => server.close(drainMs))
      .catch((error: unknown) => process.stderr.write(`${messageOf(error)}\n`))
      .finally(() => exit(0));
  },
});

// The primary decides when its processes end. A terminal sends these signals to all of them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

const watch = new Worker(moduleUrl("orphan-watch"), {
  workerData: process.ppid,
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 },
});
watch.unref();
