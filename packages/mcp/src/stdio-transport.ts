import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";

import { unwatchGroup, watchGroup } from "@envs/records/node";
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import spawn from "cross-spawn";

import type { McpCommand } from "./server.ts";

const isWindows = process.platform === "win32";
/** The variables of this process by which a program is found. */
const inheritedVariables = isWindows ? ["PATH", "PATHEXT", "SYSTEMROOT", "COMSPEC"] : ["PATH"];
const maxMessageBytes = 10 * 1024 * 1024;
const stderrTail = 2000;
/** The milliseconds that a server may run after the end of its input, and again after SIGTERM. */
const exitTimeoutMs = 2000;

/**
 * The standard streams of a server that this process starts. Unlike the SDK's transport, it starts a process group, so that
 * closing also ends what `npx` or a shell started; it inherits no variable but the path; it keeps the end of the server's
 * errors; and an idle server does not keep this process running.
 */
export class StdioTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage) => void) | undefined;
  readonly #server: McpCommand;
  readonly #buffer = new ReadBuffer({ maxBufferSize: maxMessageBytes });
  #child: ChildProcessWithoutNullStreams | undefined;
  /** The last lines that the server wrote to its standard error. */
  stderr = "";
  /** How the server's process ended: `exited with code 1`. */
  exit: string | undefined;

  constructor(server: McpCommand) {
    this.#server = server;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { command, args = [], cwd, env } = this.#server;
    const inherited = inheritedVariables.map((name) => [name, process.env[name]] as const);
    const child = spawn(command, [...args], {
      cwd,
      env: { ...Object.fromEntries(inherited), ...env },
      stdio: "pipe",
      detached: !isWindows,
      windowsHide: true,
    }) as ChildProcessWithoutNullStreams;
    // A failed start also emits errors of the streams.
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on("error", (error) => this.onerror?.(error));
      (stream as Socket).unref?.();
    }
    await once(child, "spawn");
    child.on("error", (error) => this.onerror?.(error));
    child.unref();
    this.#child = child;
    watchGroup(child.pid!);
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr = (this.stderr + text).slice(-stderrTail);
    });
    child.once("exit", (code, signal) => {
      this.exit ??= signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
      // Ends the processes that the server started, which would keep its streams open.
      this.#kill("SIGKILL");
      unwatchGroup(child.pid!);
      setTimeout(() => child.stdout.destroy(), exitTimeoutMs).unref();
    });
    child.once("close", () => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.exit !== undefined) throw new Error("The server has ended.");
    await new Promise<void>((resolve, reject) => {
      child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Ends the server's input, and kills its process group if it still runs after that. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.exit !== undefined) return;
    const ended = new Promise<boolean>((resolve) => child.once("exit", () => resolve(true)));
    child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const { promise: timeout, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), exitTimeoutMs);
      const hasEnded = await Promise.race([ended, timeout]);
      clearTimeout(timer);
      if (hasEnded) return;
      this.#kill(signal);
    }
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch {
      // The buffer is full, and the following bytes are the rest of a message.
      this.exit = `sent a message of more than ${maxMessageBytes} bytes`;
      this.#kill("SIGKILL");
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch {
        // Ignores lines that are not messages, because programs print notices to their standard output.
      }
    }
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child ?? {};
    if (pid === undefined) return;
    try {
      if (isWindows) this.#child?.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // The signal fails if every process of the group has ended.
    }
  }
}
