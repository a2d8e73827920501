import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { freePort } from "../hub/registry.ts";

/** The messages of a socket, and a word of the correct response. */
export interface Said {
  readonly text: string;
  readonly answer: string;
}

/** A server of an echo environment, in its own process. */
export interface EchoServer extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  readonly reset: Said;
  readonly step: Said;
}

/** How a server is started. */
export interface EchoKind {
  readonly name: string;
  start(): Promise<EchoServer>;
}

// prose-ignore: sample text
const text = "What is said, is said back.";
/** What starts an episode of any of them. */
export const reset: Said = { text: '{"type":"reset","data":{}}', answer: "cho environment ready!" };

/** A step of an environment that takes its text under this name. */
export function stepOf(field: string): Said {
  return { text: JSON.stringify({ type: "step", data: { [field]: text } }), answer: text };
}

/** Our server as `envs serve` starts it: its sockets in one thread, its episodes in as many others as there are cores left. */
export const ours: EchoKind = own("ours", ["our-server.ts"]);

/** The same with `--threads 0`: for environments that never take long. */
export const oursInOneThread: EchoKind = own("ours in one thread", ["our-server.ts", "0"]);

/** A server without environments, which sends back what it gets: what the load can be at most. */
export const bare: EchoKind = own("a bare echo server", ["bare-server.ts"], reset.text);

function own(
  name: string,
  [file = "", ...rest]: readonly string[],
  ready: string = reset.answer,
): EchoKind {
  return {
    name,
    async start() {
      const port = await freePort();
      const program = [process.execPath, join(import.meta.dirname, file), String(port), ...rest];
      const said = { reset: { ...reset, answer: ready }, step: stepOf("text") };
      return startServer({ program, port, cwd: ".", ...said });
    },
  };
}

/** A program that listens on a port, and its messages. */
export interface Start extends Pick<EchoServer, "reset" | "step"> {
  readonly program: readonly string[];
  readonly port: number;
  readonly cwd: string;
}

/** Starts a server, and waits until it answers. */
export async function startServer({ program, port, cwd, ...said }: Start): Promise<EchoServer> {
  const [command = "", ...args] = program;
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, NODE_ENV: "production", PYTHONDONTWRITEBYTECODE: "" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let printed = "";
  child.stderr.on("data", (chunk) => (printed = (printed + String(chunk)).slice(-10_000)));
  const exit = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null)
      throw new Error(`${program.join(" ")} does not start:\n${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    child,
    ...said,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exit;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    return false;
  }
}
