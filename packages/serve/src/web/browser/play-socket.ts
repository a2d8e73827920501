/// <reference lib="dom" />
import type { Told } from "../../openenv/told.ts";

/** What is sent; each is answered once, in order. */
export type Sent =
  | { readonly type: "reset"; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: "step"; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: "state" };

type Answer =
  | { readonly type: "observation" | "state"; readonly data: unknown }
  | { readonly type: "error"; readonly data: { readonly message: string } };

interface Waiting {
  readonly resolve: (data: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A session with one environment, over OpenEnv's socket. */
export class PlaySocket {
  readonly environment: string;
  readonly #socket: WebSocket;
  readonly #opened: Promise<void>;
  #waiting: Waiting[] = [];
  /** What the server said before it closed. */
  #farewell: string | undefined;
  #isOver = false;

  /** `onLost` hears that the connection is no more, unless it was closed from here. */
  constructor(environment: string, onLost: (reason: string) => void) {
    const url = new URL(`/${encodeURIComponent(environment)}/ws`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    this.environment = environment;
    this.#socket = new WebSocket(url);
    let isOpen = false;
    this.#opened = new Promise((resolve, reject) => {
      this.#socket.addEventListener("open", () => {
        isOpen = true;
        resolve();
      });
      this.#socket.addEventListener("close", () => reject(new Error("not open")));
    });
    // Whoever asks is told, and `onLost`.
    this.#opened.catch(() => undefined);
    this.#socket.addEventListener("message", ({ data }) => this.#hear(String(data)));
    this.#socket.addEventListener("close", ({ reason }) => {
      const wasOver = this.#isOver;
      this.close();
      if (!wasOver) onLost(this.#farewell ?? (reason || lostReason(isOpen)));
    });
  }

  reset(choice: Readonly<Record<string, unknown>>): Promise<Told> {
    return this.#ask({ type: "reset", data: choice });
  }

  step(action: Readonly<Record<string, unknown>>): Promise<Told> {
    return this.#ask({ type: "step", data: action });
  }

  state(): Promise<{ readonly task: { readonly split: string; readonly index: number } | null }> {
    return this.#ask({ type: "state" });
  }

  close(): void {
    this.#isOver = true;
    for (const { reject } of this.#waiting) reject(new Error("The connection is closed."));
    this.#waiting = [];
    this.#socket.close();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async #ask<Data>(sent: Sent): Promise<Data> {
    await this.#opened;
    return new Promise<Data>((resolve, reject) => {
      this.#waiting.push({ resolve: resolve as (data: unknown) => void, reject });
      this.#socket.send(JSON.stringify(sent));
    });
  }

  #hear(text: string): void {
    const answer = JSON.parse(text) as Answer;
    const waiting = this.#waiting.shift();
    if (answer.type !== "error") return waiting?.resolve(answer.data);
    const { message } = answer.data;
    this.#farewell = message;
    waiting?.reject(new Error(message));
  }
}

function lostReason(wasOpen: boolean): string {
  return wasOpen
    ? "The server ended it, or the network failed."
    : "The server does not answer. Is it still running? If it asks for a key, load this page again.";
}
