import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import fc from "fast-check";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";

import { encodeTextFrame } from "../src/openenv/text-frame.ts";

/** Texts of one to four bytes a character, with lengths around those at which the header gets longer. */
const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc
    .tuple(fc.constantFrom(125, 126, 127, 65_535, 65_536, 65_537), fc.constantFrom("a", "é"))
    .map(([length, character]) => character.repeat(length)),
);

test("a client reads each text frame as it was encoded", async () => {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  http.on("upgrade", (request, stream, head) =>
    sockets.handleUpgrade(request, stream, head, (socket) =>
      socket.on("message", (data: Buffer) => stream.write(encodeTextFrame(data.toString()))),
    ),
  );
  await once(http.listen(0, "127.0.0.1"), "listening");
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  await once(client, "open");
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      client.send(text);
      const [data] = await once(client, "message");
      expect(String(data)).toBe(text);
    }),
  );
  client.terminate();
  http.close();
});
