import type { AddressInfo } from "node:net";

import type { ServeOptions } from "./options.ts";

/** The backlog of connections: all clients of a trainer may connect at once, and a rejected one retries only after a second. */
const backlog = 4096;

export function listenOptions({ port = 8000, host = "127.0.0.1" }: ServeOptions) {
  return { port, host, backlog };
}

export function urlOf({ address, port }: AddressInfo): string {
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}
