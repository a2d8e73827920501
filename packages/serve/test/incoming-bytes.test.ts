import { expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";
import { bytesUntilClosed, rawSocket } from "./support/raw-socket.ts";

const incomingBytes = 4_000_000;
const part = Buffer.alloc(600_000, " ");

/** Sends a fragment of a message that never ends. */
function sendFragment(socket: OpenenvSocket): void {
  const isLast = false;
  socket.socket.send(part, { binary: false, fin: isLast });
}

test("rejects the largest of many unfinished frames, and keeps the small ones", async () => {
  await using server = await serve([patient()], { port: 0, incomingBytes });
  await using playing = await OpenenvSocket.open(server.url);
  await playing.reset();
  await using small = await OpenenvSocket.open(server.url);
  sendFragment(small);
  const large = await Promise.all(Array.from({ length: 10 }, () => OpenenvSocket.open(server.url)));
  for (const socket of large) {
    sendFragment(socket);
    sendFragment(socket);
  }
  const closed = await Promise.race(large.map((socket) => socket.closed));
  expect([1006, 1013]).toContain(closed);
  for (let turn = 0; turn < 20; turn += 1)
    expect((await playing.step({ text: "a" }))?.type).toBe("observation");
  small.socket.send(" ", { binary: false, fin: true });
  expect(await small.next()).toMatchObject({ data: { code: "INVALID_JSON" } });
  await Promise.all(large.map((socket) => socket[Symbol.asyncDispose]()));
  // Discarded bytes no longer count.
  const text = "x".repeat(incomingBytes * 0.7);
  expect((await playing.step({ text }))?.type).toBe("observation");
});

test("rejects the largest of many unfinished bodies", async () => {
  await using server = await serve([patient()], { port: 0, incomingBytes });
  const head =
    "POST /patient/reset HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const partialRequest = `${head}Content-Length: 9000000\r\n\r\n${part.toString()}`;
  const sockets = await Promise.all(
    Array.from({ length: 10 }, () => rawSocket(server.url, partialRequest)),
  );
  const responses: string[] = [];
  for (const socket of sockets) socket.on("data", (chunk: Buffer) => responses.push(String(chunk)));
  await Promise.race(sockets.map(bytesUntilClosed));
  expect(responses.join("")).toMatch(/^HTTP\/1\.1 429 [\s\S]*receiving too much at once/u);
  const reset = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  expect((await fetch(`${server.url}/patient/reset`, reset)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  const long = { ...reset, body: JSON.stringify({ episode_id: "x".repeat(3_000_000) }) };
  expect((await fetch(`${server.url}/patient/reset`, long)).status).toBe(422);
});

test("rejects a single message above the limit", async () => {
  await using server = await serve([patient()], { port: 0, incomingBytes: 100_000 });
  await using socket = await OpenenvSocket.open(server.url);
  socket.send("x".repeat(200_000));
  expect([1006, 1013]).toContain(await socket.closed);
});

test.for(["sessions", "idleTimeout", "clientTimeout", "incomingBytes"])(
  "rejects a value of %s that is not above 0",
  async (name) => {
    for (const limit of [0, -1, NaN])
      await expect(serve([patient()], { port: 0, [name]: limit })).rejects.toThrow(
        `${name} is ${limit}. It must be greater than 0.`,
      );
  },
);
