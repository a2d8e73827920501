import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Opens a connection and sends this much of a request, and no more. */
export async function rawSocket(url: string, sent: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  if (sent !== "") socket.write(sent);
  return socket;
}

/** How many bytes come until the connection is closed by the other side. */
export async function bytesUntilClosed(socket: Socket): Promise<number> {
  if (socket.closed) return 0;
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
  await once(socket, "close");
  return bytes;
}
