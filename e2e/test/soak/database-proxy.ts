import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of a database, which can make the database unreachable. */
export interface DatabaseProxy extends AsyncDisposable {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** Resets all connections and refuses new ones. */
  disconnect(): void;
  reconnect(): void;
}

/** Starts a proxy for the database at `target`. A query with the text `disconnectAt` makes the database unreachable. */
export async function startDatabaseProxy(
  target: string,
  { disconnectAt }: { readonly disconnectAt?: string } = {},
): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isReachable = true;
  const track = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => other.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((client) => {
    if (!isReachable) {
      client.resetAndDestroy();
      return;
    }
    const database = connect(Number(port), hostname);
    track(client, database);
    track(database, client);
    client.on("data", (chunk: Buffer) => {
      if (disconnectAt !== undefined && chunk.includes(disconnectAt)) disconnect();
    });
    client.pipe(database);
    database.pipe(client);
  });
  const disconnect = (): void => {
    isReachable = false;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    disconnect,
    reconnect() {
      isReachable = true;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      disconnect();
      await once(server, "close");
    },
  };
}
