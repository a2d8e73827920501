/** The other end of {@link HostThread}: runs episodes of all environments in a thread of its own. */
import { parentPort, workerData } from "node:worker_threads";

import { thrown } from "./border.ts";
import type { Answer, Call, Request, ThreadPlan } from "./calls.ts";
import type { EpisodeHost } from "./host.ts";
import { inlineHost } from "./inline-host.ts";
import { Outbox, unpacked } from "./outbox.ts";
import { loadReference } from "./reference.ts";

const { references, seed } = workerData as ThreadPlan;
const loading = Promise.all(
  references.map(async (each) => inlineHost(await loadReference(each), seed)),
);
// Whoever calls is told.
loading.catch(() => undefined);

async function answer(call: Call): Promise<unknown> {
  const hosts = await loading;
  if (call.method === "cards") return hosts.map(({ card }) => card);
  return answerOf(hosts[call.environment]!, call);
}

function answerOf(host: EpisodeHost, call: Exclude<Call, { method: "cards" }>): Promise<unknown> {
  switch (call.method) {
    case "task":
      return host.task(call.place);
    case "open":
      return host.open(call.id, call.task, call.seed);
    case "step":
      return host.step(call.id, call.message, call.options);
    case "finish":
      return host.finish(call.id);
    case "close":
      return host.close(call.id);
  }
}

const outbox = new Outbox(parentPort!);
const send = (answered: Answer): void => outbox.send(answered);

async function serve({ request, call }: Request): Promise<void> {
  try {
    send({ request, result: await answer(call) });
  } catch (error) {
    send({ request, error: thrown(error) });
  }
}

parentPort!.on("message", (text: string) => {
  for (const request of unpacked(text)) void serve(request as Request);
});
