import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";

import type { Tunnel } from "./tunnel.ts";

/** A port of this computer's loopback whose connections end at a server of a machine. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor({ hostname, port, protocol }: URL, tunnel: () => Promise<Tunnel>) {
    const target = Number(port) || (protocol === "https:" ? 443 : 80);
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
      void tunnel()
        .then((open) => open.dial(hostname.replace(/^\[|\]$/g, ""), target))
        .then((stream) => {
          pipeline(socket, stream, () => {});
          pipeline(stream, socket, () => {});
        })
        .catch(() => socket.destroy());
    });
    this.#server.unref();
  }

  static async open(url: URL, tunnel: () => Promise<Tunnel>): Promise<Relay> {
    const relay = new Relay(url, tunnel);
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
