/** The entry point of the thread that {@link HostThread} starts. */
import { parentPort, workerData } from "node:worker_threads";

import { loadReference } from "./environment-reference.ts";
import type { EpisodeHost } from "./episode-host.ts";
import { inlineHost } from "./inline-host.ts";
import { serializeError } from "./thread-errors.ts";
import {
  type HostCall,
  MessageBatcher,
  parseBatch,
  type ThreadRequest,
  type ThreadResponse,
  type ThreadSetup,
} from "./thread-messages.ts";

const { references, seed } = workerData as ThreadSetup;
const loading = Promise.all(
  references.map(async (reference) => inlineHost(await loadReference(reference), seed)),
);
// Callers receive the rejection.
loading.catch(() => undefined);

async function execute(call: HostCall): Promise<unknown> {
  const hosts = await loading;
  if (call.method === "cards") return hosts.map(({ card }) => card);
  return executeOn(hosts[call.environment]!, call);
}

function executeOn(
  host: EpisodeHost,
  call: Exclude<HostCall, { method: "cards" }>,
): Promise<unknown> {
  switch (call.method) {
    case "task":
      return host.task(call.position);
    case "open":
      return host.open(call.id, call.task, call.seed);
    case "step":
      return host.step(call.id, call.message, call.options);
    case "finish":
      return host.finish(call.id);
    case "scoreGroup":
      return host.scoreGroup(call.ids);
    case "close":
      return host.close(call.id);
  }
}

const batcher = new MessageBatcher(parentPort!);
const send = (response: ThreadResponse): void => batcher.send(response);

async function handle({ requestId, call }: ThreadRequest): Promise<void> {
  try {
    send({ requestId, result: await execute(call) });
  } catch (error) {
    send({ requestId, error: serializeError(error) });
  }
}

parentPort!.on("message", (text: string) => {
  for (const request of parseBatch(text)) void handle(request as ThreadRequest);
});
