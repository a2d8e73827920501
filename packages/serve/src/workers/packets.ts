import type { Socket } from "node:net";

/** The file descriptor of the pipe in a worker. */
export const workerFd = 3;

/** Encodes messages as one line of JSON, since a write to another process costs as much as several steps. */
export function encodePacket(messages: readonly unknown[]): string {
  return `${JSON.stringify(messages)}\n`;
}

/** Reads the packets of the other process. Closes the pipe if an environment wrote something else to it, so that `onPacket` throws. */
export function readPackets(socket: Socket, onPacket: (messages: unknown) => void): void {
  let partialLine: string[] = [];
  socket.setEncoding("utf8");
  // A close event follows each error.
  socket.on("error", () => undefined);
  socket.on("data", (chunk: string) => {
    const [end = "", ...lines] = chunk.split("\n");
    partialLine.push(end);
    for (const nextLine of lines) {
      try {
        onPacket(JSON.parse(partialLine.join("")));
      } catch {
        return void socket.destroy();
      }
      partialLine = [nextLine];
    }
  });
}
