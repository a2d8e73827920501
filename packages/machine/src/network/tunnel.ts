import { performServerHandshake, type ServerHttp2Stream } from "node:http2";
import type { IncomingHttpHeaders } from "node:http2";
import { connect, type Socket } from "node:net";
import { type Duplex, PassThrough, pipeline } from "node:stream";

import type { InsideProcess } from "../box/box.ts";
import type { Dial } from "./dial.ts";

export interface TunnelPolicy {
  /** Whether the machine may connect to a name now. */
  readonly allows: (name: string) => boolean;
  readonly dial: Dial;
}

interface Forward {
  readonly origin: URL;
  readonly report: (result: number | Error) => void;
}

const ports = new Set([80, 443]);
const forwardTimeoutMs = 20_000;

/**
 * The host's end of the only way out of a machine without a network. Names are looked up here, and only when the machine connects:
 * a query for a name carries nothing to a server of names.
 */
export class Tunnel {
  readonly #inside: InsideProcess;
  readonly #policy: TunnelPolicy;
  readonly #orders = new PassThrough();
  readonly #forwards = new Map<string, Forward>();
  readonly #dials = new Map<string, PromiseWithResolvers<Duplex>>();
  #dialCount = 0;
  readonly #sockets = new Set<Socket>();
  readonly #ready = Promise.withResolvers<void>();

  private constructor(inside: InsideProcess, policy: TunnelPolicy) {
    this.#inside = inside;
    this.#policy = policy;
    const session = performServerHandshake(inside.stream);
    session.on("error", () => {});
    session.on("stream", (stream, headers) => this.#answer(stream, headers));
    session.on("close", () => this.#fail(new Error("The way out of the machine has ended.")));
  }

  /** Waits until the inner end listens. */
  static async open(inside: InsideProcess, policy: TunnelPolicy): Promise<Tunnel> {
    const tunnel = new Tunnel(inside, policy);
    try {
      await tunnel.#ready.promise;
      return tunnel;
    } catch (error) {
      await tunnel.close();
      throw error;
    }
  }

  /** Listens inside for connections to a server, and resolves to the port. */
  forward(origin: URL, port: number): Promise<number> {
    const id = String(this.#forwards.size + 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () =>
          reject(
            new Error(`The machine did not listen for ${origin.host} in ${forwardTimeoutMs} ms.`),
          ),
        forwardTimeoutMs,
      );
      const report = (result: number | Error): void => {
        clearTimeout(timer);
        if (typeof result === "number") resolve(result);
        else reject(result);
      };
      this.#forwards.set(id, { origin, report });
      this.#orders.write(`${id} ${port}\n`);
    });
  }

  /** Connects to a server inside. */
  async dial(host: string, port: number): Promise<Duplex> {
    this.#dialCount += 1;
    const id = String(this.#dialCount);
    const pending = Promise.withResolvers<Duplex>();
    this.#dials.set(id, pending);
    const timer = setTimeout(
      () => pending.reject(new Error(`${host}:${port} did not answer in ${forwardTimeoutMs} ms.`)),
      forwardTimeoutMs,
    );
    try {
      this.#orders.write(`${id} ${port} ${host}\n`);
      return await pending.promise;
    } finally {
      clearTimeout(timer);
      this.#dials.delete(id);
    }
  }

  /** Cuts the connections to names. Those to forwarded servers stay. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#inside.stream.destroy();
    await this.#inside.close();
  }

  #fail(error: Error): void {
    this.#ready.reject(error);
    for (const { report } of this.#forwards.values()) report(error);
    for (const { reject } of this.#dials.values()) reject(error);
    this.cut();
  }

  #answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on("error", () => {});
    if (headers[":method"] === "CONNECT") return this.#connect(stream, headers);
    const [, kind, name = "", result = ""] = (headers[":path"] ?? "").split("/");
    if (kind === "orders") {
      stream.respond({ ":status": 200 });
      this.#ready.resolve();
      pipeline(this.#orders, stream, () => {});
      return;
    }
    if (kind === "forwards") {
      const port = Number(result);
      const problem = new Error(`The machine cannot listen: ${decodeURIComponent(result)}`);
      this.#forwards.get(name)?.report(Number.isNaN(port) ? problem : port);
    }
    if (kind === "dials") this.#dials.get(name)?.reject(new Error(decodeURIComponent(result)));
    const isAllowed = kind === "names" && this.#policy.allows(decodeURIComponent(name));
    stream.respond({ ":status": isAllowed ? 200 : 404 }, { endStream: true });
  }

  #connect(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const pending = this.#dials.get(String(headers["x-dial"] ?? ""));
    if (pending !== undefined) {
      stream.respond({ ":status": 200 });
      return pending.resolve(stream);
    }
    const socket = this.#dial(headers);
    if (socket === undefined) return stream.respond({ ":status": 403 }, { endStream: true });
    socket.on("error", () => stream.close());
    socket.once("connect", () => {
      if (stream.destroyed) return socket.destroy();
      stream.respond({ ":status": 200 });
      pipeline(stream, socket, () => {});
      pipeline(socket, stream, () => {});
    });
    stream.once("close", () => socket.destroy());
  }

  #dial(headers: IncomingHttpHeaders): Socket | undefined {
    const forward = this.#forwards.get(String(headers["x-forward"] ?? ""));
    if (forward !== undefined) {
      const { hostname, port, protocol } = forward.origin;
      const host = hostname.replace(/^\[|\]$/g, "");
      return connect({
        host,
        port: Number(port) || (protocol === "https:" ? 443 : 80),
        allowHalfOpen: true,
      });
    }
    const [name = "", port = ""] = (headers[":authority"] ?? "").split(":");
    if (!ports.has(Number(port)) || !this.#policy.allows(name)) return undefined;
    const socket = this.#policy.dial(name, Number(port));
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    return socket;
  }
}
