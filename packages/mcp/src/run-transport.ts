import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";

import type { McpProcess } from "./server.ts";

const maxMessageBytes = 10 * 1024 * 1024;
const stderrTail = 2000;
/** The milliseconds that a server may run after the end of its input. */
const exitTimeoutMs = 2000;

/** The standard streams of a server that runs elsewhere, such as in a container. */
export class RunTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage) => void) | undefined;
  readonly pid = undefined;
  readonly #server: McpProcess;
  readonly #buffer = new ReadBuffer({ maxBufferSize: maxMessageBytes });
  readonly #stdin = new PassThrough();
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  /** The last lines that the server wrote to its standard error. */
  stderr = "";
  /** How the server ended: `exited with code 1`. */
  exit: string | undefined;

  constructor(server: McpProcess) {
    this.#server = server;
  }

  async start(): Promise<void> {
    const { signal } = this.#abort;
    const decoder = new TextDecoder();
    this.#running = this.#server
      .run({
        stdin: this.#stdin,
        signal,
        onOutput: (stream, data) => {
          if (stream === "stdout") this.#read(data);
          else
            this.stderr = (this.stderr + decoder.decode(data, { stream: true })).slice(-stderrTail);
        },
      })
      .then(
        ({ exitCode }) => `exited with code ${exitCode}`,
        (error: unknown) => `could not run: ${String(error)}`,
      )
      .then((exit) => {
        this.exit ??= exit;
        this.onclose?.();
      });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.exit !== undefined) throw new Error("The server has ended.");
    this.#stdin.write(serializeMessage(message));
  }

  /** Ends the server's input, and the server if it still runs after that. */
  async close(): Promise<void> {
    this.#stdin.end();
    if (this.exit !== undefined) return;
    const timeout = new AbortController();
    await Promise.race([
      this.#running,
      sleep(exitTimeoutMs, undefined, { signal: timeout.signal }).catch(() => {}),
    ]);
    timeout.abort();
    this.#abort.abort();
    await this.#running;
  }

  #read(data: Uint8Array): void {
    try {
      this.#buffer.append(Buffer.from(data));
    } catch {
      this.exit = `sent a message of more than ${maxMessageBytes} bytes`;
      this.#abort.abort();
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
}
