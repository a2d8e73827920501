import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP connection to a server that a test slows down or cuts. */
export interface TestNetwork extends AsyncDisposable {
  /** The URL of the server, through this network. */
  readonly url: string;
  /** Delays the bytes that the server sends. */
  delay(milliseconds: number): void;
  /** Closes all connections and refuses new ones. */
  cut(): void;
  /** Keeps connections open, but delivers nothing. */
  hang(): void;
  /** Delivers again, on new connections. */
  restore(): void;
}

/** Puts a network between a client and the server at `target`. */
export async function testNetwork(target: string): Promise<TestNetwork> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let state: "on" | "cut" | "hung" = "on";
  let delayMs = 0;
  const server = createServer((client) => {
    if (state === "cut") return void client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const [from, to, wait] of [
      [client, upstream, () => 0],
      [upstream, client, () => delayMs],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on("data", (chunk) => {
        if (state === "on") setTimeout(() => to.writable && to.write(chunk), wait());
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const closeAll = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.href,
    delay: (milliseconds) => void (delayMs = milliseconds),
    cut() {
      state = "cut";
      closeAll();
    },
    hang: () => void (state = "hung"),
    restore() {
      closeAll();
      state = "on";
    },
    async [Symbol.asyncDispose]() {
      server.close();
      closeAll();
    },
  };
}
