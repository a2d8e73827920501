import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import { random } from "@envs/core";
import { startGateway } from "@envs/gateway";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";

import { Soak } from "./soak.ts";

const clients = 8;
const callsPerSession = 6;
const maxWaitSeconds = 60;

/** Calls of agents that read their stream to the end, or cancel it. */
export interface GatewayReport {
  readonly sessions: number;
  readonly calls: number;
  readonly cancelled: number;
  /** Sessions whose record has more or fewer calls than the model's server has received. */
  readonly lost: readonly string[];
  readonly hangs: readonly string[];
}

/** Lets clients cancel their streams, in another process, until the soak ends. */
export async function soakGateway(soak: Soak, minutes: number): Promise<GatewayReport> {
  // A heap without room: what grows is in use.
  const execArgv = [...process.execArgv, "--max-old-space-size=128"];
  const child = fork(import.meta.filename, [String(minutes)], { execArgv });
  soak.measureMemory("gateway", () => child.pid);
  const [report] = (await once(child, "message")) as [GatewayReport];
  child.disconnect();
  return report;
}

async function play(soak: Soak): Promise<GatewayReport> {
  const report = { sessions: 0, calls: 0, cancelled: 0 };
  const [lost, hangs]: [string[], string[]] = [[], []];
  await using gateway = await startGateway({ retryGrace: 10 });

  const client = async (number: number): Promise<void> => {
    const draw = random("gateway soak", number);
    // Its own server counts the calls of one client.
    const server = await modelServer({
      name: "real",
      answer: () => "word ".repeat(200),
      faults: { drip: { bytes: 2000, milliseconds: 20 } },
    });
    const model = openai("real", { baseURL: server.url });
    for (let round = 0; !soak.isOver(); round += 1) {
      using session = gateway.open({ model });
      const before = server.requests;
      for (let call = 0; call < callsPerSession; call += 1) {
        const isCancelled = draw.int(2) === 0;
        const text = `Question ${number}.${round}.${call}`;
        const isDone = await ask(session.baseURL, text, isCancelled).catch(() => isCancelled);
        if (!isDone) hangs.push(text);
        report.calls += 1;
        if (isCancelled) report.cancelled += 1;
      }
      const sent = (): number => server.requests - before;
      for (let wait = 0; session.calls.length !== sent() && wait < 200; wait += 1) await sleep(50);
      if (session.calls.length !== callsPerSession || sent() !== callsPerSession)
        lost.push(
          `session ${number}.${round}: ${callsPerSession} calls, ${sent()} sent, ${session.calls.length} recorded`,
        );
      report.sessions += 1;
    }
    await server.close();
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return { ...report, lost, hangs };
}

/** Asks for a stream, and reads it to its end, or its first part only. */
async function ask(baseURL: string, question: string, isCancelled: boolean): Promise<boolean> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), maxWaitSeconds * 1000);
  try {
    const messages = [{ role: "user", content: question }];
    const body = JSON.stringify({ model: "any", stream: true, messages });
    const url = `${baseURL}/chat/completions`;
    const response = await fetch(url, { method: "POST", body, signal: controller.signal });
    if (!isCancelled) return (await response.text()).includes("[DONE]");
    await response.body!.getReader().read();
    controller.abort();
    return true;
  } finally {
    clearTimeout(timer);
  }
}

if (process.argv[1] === import.meta.filename)
  process.send!(await play(new Soak(Number(process.argv[2]))));
