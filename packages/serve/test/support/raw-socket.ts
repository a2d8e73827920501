import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Opens a TCP connection and sends a text. */
export async function rawSocket(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  if (text !== "") socket.write(text);
  return socket;
}

/** Counts the bytes until the server closes the connection. */
export async function bytesUntilClosed(socket: Socket): Promise<number> {
  if (socket.closed) return 0;
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
  await once(socket, "close");
  return bytes;
}
