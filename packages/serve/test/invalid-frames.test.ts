import { once } from "node:events";
import { deflateRawSync } from "node:zlib";

import { describe, expect, test as base } from "vitest";

import { type EnvironmentServer, serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket, until } from "./support/openenv-socket.ts";
import { rawSocket } from "./support/raw-socket.ts";

const test = base.extend("server", { scope: "file" }, async ({}, { onCleanup }) => {
  const server = await serve([patient()], { port: 0, sessions: 1 });
  onCleanup(() => server.close());
  return server;
});

const reset = '{"type":"reset"}';
const text = 0x1;
const [final, compressed] = [0x80, 0x40];

/** The bytes of a frame, with a mask of zeros, which does not change the payload. */
function frame(first: number, payload: string | Buffer, length = payload.length): Buffer {
  const head =
    length < 126
      ? [first, 0x80 | length]
      : [first, 0xff, ...[56, 48, 40, 32, 24, 16, 8, 0].map((bits) => (length / 2 ** bits) & 0xff)];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), Buffer.from(payload)]);
}

/** Opens a WebSocket over raw TCP, sends bytes, and returns the first response. */
async function sendBytes({ url }: EnvironmentServer, ...chunks: readonly Buffer[]) {
  const socket = await rawSocket(
    url,
    "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
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
  const closeCode = frames[0] === (final | 0x8) ? frames.readUInt16BE(2) : undefined;
  return { head, closeCode, text: closeCode === undefined ? frames.toString() : "" };
}

/** Expects that the only session is free, and that it works. */
async function expectFreeSession(server: EnvironmentServer): Promise<void> {
  await until(async () => {
    await using socket = await OpenenvSocket.open(server.url);
    return (await socket.reset())?.type === "observation";
  });
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
}

describe("the server closes the socket and frees its session", () => {
  const bomb = deflateRawSync(Buffer.alloc(2 ** 20, " "));
  test.for<[string, number, readonly Buffer[]]>([
    ["text that is not UTF-8", 1007, [frame(final | text, Buffer.from([0x22, 0xff, 0xfe]))]],
    [
      "a compressed frame without negotiated compression",
      1002,
      [frame(final | compressed | text, bomb)],
    ],
    ["a frame without a mask", 1002, [Buffer.from([final | text, 2, 0x7b, 0x7d])]],
    ["an unknown opcode", 1002, [frame(final | 0x3, reset)]],
    ["a continuation without a first fragment", 1002, [frame(final, reset)]],
    ["two first fragments", 1002, [frame(text, "{"), frame(text, "{")]],
    ["a ping above 125 bytes", 1002, [frame(final | 0x9, "x".repeat(126))]],
    ["a fragmented ping", 1002, [frame(0x9, "x")]],
    ["a close frame of one byte", 1002, [frame(final | 0x8, "x")]],
    ["a frame with a length of 8 EB", 1009, [frame(final | text, "{", 2 ** 53)]],
    ["a frame one byte above the limit", 1009, [frame(final | text, "{", 100 * 2 ** 20 + 1)]],
    [
      "a message in tens of thousands of fragments",
      1008,
      [frame(text, " "), ...Array.from({ length: 20_000 }, () => frame(0, " "))],
    ],
  ])("after %s", async ([, code, chunks], { server }) => {
    const { head, closeCode } = await sendBytes(server, ...chunks);
    expect(head).toMatch(/^HTTP\/1.1 101 /u);
    expect(head.toLowerCase()).not.toContain("extensions");
    expect(closeCode).toBe(code);
    await expectFreeSession(server);
  });

  test("after a partial frame", async ({ server }) => {
    const socket = await OpenenvSocket.open(server.url);
    (socket.socket as unknown as { _socket: { write(data: Buffer): void } })._socket.write(
      frame(final | text, "{", 1000),
    );
    await socket[Symbol.asyncDispose]();
    await expectFreeSession(server);
  });
});

test("the server responds over HTTP/1.1 to a request to upgrade to HTTP/2", async ({ server }) => {
  const socket = await rawSocket(
    server.url,
    "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
  );
  const [response] = (await once(socket, "data")) as [Buffer];
  expect(response.toString()).toMatch(/^HTTP\/1.1 200 OK/u);
  socket.destroy();
});

test("the server joins the fragments of a message", async ({ server }) => {
  const fragments = [frame(text, reset.slice(0, 5)), frame(0, ""), frame(final, reset.slice(5))];
  const { text: response } = await sendBytes(server, ...fragments);
  expect(response).toContain('"observation"');
  await expectFreeSession(server);
});
