import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { freePort } from "@envs/hub-server/testing/server-process";

/** A message to a server, and text that the response must contain. */
export interface EchoRequest {
  readonly message: string;
  readonly expected: string;
}

/** A server of an echo environment, in its own process. */
export interface EchoServer extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  readonly reset: EchoRequest;
  readonly step: EchoRequest;
}

/** A kind of server that the benchmark can start. */
export interface EchoKind {
  readonly name: string;
  start(): Promise<EchoServer>;
}

const text = "The server echoes the text.";
/** The request that starts an episode; the same for every server with environments. */
export const reset: EchoRequest = {
  message: '{"type":"reset","data":{}}',
  expected: "cho environment ready!",
};

/** The request for a step of an environment whose action has its text in `field`. */
export function stepRequest(field: string): EchoRequest {
  return { message: JSON.stringify({ type: "step", data: { [field]: text } }), expected: text };
}

/** Our server with its defaults: one process for connections, eight for episodes. */
export const ours: EchoKind = ownServer("ours", ["our-server.ts"]);

/** The same with `--processes 0`, in one process. */
export const oursInOneProcess: EchoKind = ownServer("ours in one process", ["our-server.ts", "0"]);

/** A server that sends each frame back without an environment: the upper limit of the load. */
export const bare: EchoKind = ownServer("a bare echo server", ["bare-server.ts"], reset.message);

function ownServer(
  name: string,
  [file = "", ...rest]: readonly string[],
  expectedAfterReset: string = reset.expected,
): EchoKind {
  return {
    name,
    async start() {
      const port = await freePort();
      const program = [process.execPath, join(import.meta.dirname, file), String(port), ...rest];
      return startServer({
        program,
        port,
        cwd: ".",
        reset: { ...reset, expected: expectedAfterReset },
        step: stepRequest("text"),
      });
    },
  };
}

/** A program that listens on a port, and the requests for it. */
export interface StartOptions extends Pick<EchoServer, "reset" | "step"> {
  readonly program: readonly string[];
  readonly port: number;
  readonly cwd: string;
}

/** Starts a server and waits until `/health` answers. */
export async function startServer({
  program,
  port,
  cwd,
  ...requests
}: StartOptions): Promise<EchoServer> {
  const [command = "", ...args] = program;
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, NODE_ENV: "production", PYTHONDONTWRITEBYTECODE: "" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (chunk) => (output = (output + String(chunk)).slice(-10_000)));
  const exit = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null) throw new Error(`Cannot start ${program.join(" ")}:\n${output}`);
    await sleep(20);
  }
  return {
    url,
    child,
    ...requests,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exit;
    },
  };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    return false;
  }
}
