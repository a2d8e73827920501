import { once } from "node:events";
import { deflateRawSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type EnvironmentServer, serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket, until } from "./support/openenv-socket.ts";
import { rawSocket } from "./support/raw-socket.ts";

let server: EnvironmentServer;
beforeAll(async () => {
  server = await serve([patient()], { port: 0, sessions: 1 });
});
afterAll(() => server.close());

const reset = '{"type":"reset"}';
const text = 0x1;
const [final, compressed] = [0x80, 0x40];

/** A frame as it is on the wire: masked with zeros, which change nothing. */
function frame(first: number, payload: string | Buffer, length = payload.length): Buffer {
  const head =
    length < 126
      ? [first, 0x80 | length]
      : [first, 0xff, ...[56, 48, 40, 32, 24, 16, 8, 0].map((bits) => (length / 2 ** bits) & 0xff)];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), Buffer.from(payload)]);
}

/** Opens a socket by hand, sends bytes, and reads frames until one tells that the socket is closed. */
async function sendBytes(...chunks: readonly Buffer[]) {
  const socket = await rawSocket(
    server.url,
    "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
  );
  let received = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
  const parts = () => {
    const end = received.indexOf("\r\n\r\n");
    return { head: received.toString("latin1", 0, end), frames: received.subarray(end + 4) };
  };
  await until(() => received.includes("\r\n\r\n"));
  for (const chunk of chunks) socket.write(chunk);
  await until(() => parts().frames.length > 0 || socket.closed);
  const { head, frames } = parts();
  socket.destroy();
  const closing = frames[0] === (final | 0x8) ? frames.readUInt16BE(2) : undefined;
  return { head, closing, text: closing === undefined ? frames.toString() : "" };
}

/** The one session is free again, and is served. */
async function expectServes(): Promise<void> {
  await until(async () => {
    await using socket = await OpenenvSocket.open(server.url);
    return (await socket.reset())?.type === "observation";
  });
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
}

describe("a socket is closed, and its session is free,", () => {
  const bomb = deflateRawSync(Buffer.alloc(2 ** 20, " "));
  test.each<[string, number, readonly Buffer[]]>([
    ["text that is no UTF-8", 1007, [frame(final | text, Buffer.from([0x22, 0xff, 0xfe]))]],
    ["compressed frames, which nobody agreed on", 1002, [frame(final | compressed | text, bomb)]],
    ["a frame without a mask", 1002, [Buffer.from([final | text, 2, 0x7b, 0x7d])]],
    ["a kind of frame that there is not", 1002, [frame(final | 0x3, reset)]],
    ["a rest without a beginning", 1002, [frame(final, reset)]],
    ["two beginnings", 1002, [frame(text, "{"), frame(text, "{")]],
    ["a long ping", 1002, [frame(final | 0x9, "x".repeat(126))]],
    ["a ping in pieces", 1002, [frame(0x9, "x")]],
    ["a closing frame of one byte", 1002, [frame(final | 0x8, "x")]],
    ["a frame that says it is 8 EB long", 1009, [frame(final | text, "{", 2 ** 53)]],
    [
      "a frame that says it is one byte too long",
      1009,
      [frame(final | text, "{", 100 * 2 ** 20 + 1)],
    ],
    [
      "a message in tens of thousands of pieces",
      1008,
      [frame(text, " "), ...Array.from({ length: 20_000 }, () => frame(0, " "))],
    ],
  ])("after %s", async (_, code, chunks) => {
    const { head, closing } = await sendBytes(...chunks);
    expect(head).toMatch(/^HTTP\/1.1 101 /u);
    expect(head.toLowerCase()).not.toContain("extensions");
    expect(closing).toBe(code);
    await expectServes();
  });

  test("after half of a frame", async () => {
    const socket = await OpenenvSocket.open(server.url);
    (socket.socket as unknown as { _socket: { write(data: Buffer): void } })._socket.write(
      frame(final | text, "{", 1000),
    );
    await socket[Symbol.asyncDispose]();
    await expectServes();
  });
});

test("a client that would rather speak HTTP/2 is answered over HTTP/1.1", async () => {
  const socket = await rawSocket(
    server.url,
    "GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 200 OK/u);
  socket.destroy();
});

test("a message in pieces, with a ping between them, is one message", async () => {
  const pieces = [frame(text, reset.slice(0, 5)), frame(0, ""), frame(final, reset.slice(5))];
  const { text: answer } = await sendBytes(...pieces);
  expect(answer).toContain('"observation"');
  await expectServes();
});
