/**
 * The process that runs a published bundle. It reads one line of JSON with the bundle, then one request per line, and writes
 * one line of JSON per request. It has no environment variables and no credentials, and its parent ends it.
 */
import { createInterface } from "node:readline";

import type { WorkerLine, WorkerStart } from "./protocol.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";

let sandbox: Sandbox | undefined;
const parent = process.ppid;
/** Whether the hub was killed, so that this process must end itself. */
const isAbandoned = (): boolean => process.ppid !== parent;

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const response = await respond(line);
  process.stdout.write(`${JSON.stringify(response)}\n`);
}

async function respond(line: string): Promise<WorkerLine> {
  try {
    if (sandbox === undefined) {
      const { code, ...limits } = JSON.parse(line) as WorkerStart;
      sandbox = await openSandbox(code, { ...limits, isAbandoned });
      return { response: "" };
    }
    return { response: sandbox.request(JSON.parse(line) as string) };
  } catch (error) {
    return { problem: (error as Error).message.slice(0, 1000) };
  }
}
