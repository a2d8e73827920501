import { execFileSync } from "node:child_process";

import { defineEnvironment } from "@envs/core";
import { describe, expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { nemoClient } from "./support/nemo-client.ts";
import { OpenenvSocket, until } from "./support/openenv-socket.ts";
import { orsClient } from "./support/ors-client.ts";
import { bytesUntilClosed, rawSocket } from "./support/raw-socket.ts";

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
const json = "Host: localhost\r\nContent-Type: application/json\r\n";
const partialRequests = [
  "",
  "GET /hea",
  "GET /patient/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
  `POST /patient/reset HTTP/1.1\r\n${json}Content-Length: 1000\r\n\r\n{"index":`,
  `POST /patient/call HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a`,
];

/** Both ends of each connection use a file descriptor of this process. */
function connectionCount(maximum: number): number {
  const limit = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  return limit === "unlimited" ? maximum : Math.min(maximum, Math.floor((Number(limit) - 500) / 2));
}

test("thousands of unfinished requests do not delay others, and time out", async () => {
  await using server = await serve([patient()], { port: 0, sessions: 1, clientTimeout: 1000 });
  const count = connectionCount(3000);
  const closed: Promise<number>[] = [];
  for (let at = 0; at < count; at += 1)
    closed.push(
      bytesUntilClosed(await rawSocket(server.url, partialRequests[at % partialRequests.length]!)),
    );
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  await using socket = await OpenenvSocket.open(server.url);
  await socket.reset();
  for (let turn = 0; turn < 100; turn += 1)
    expect((await socket.step({ text: "a" }))?.type).toBe("observation");
  expect(await Promise.all(closed)).toHaveLength(count);
  expect((await socket.step({ text: "a" }))?.type).toBe("observation");
});

describe("a client that does not read", () => {
  const text = "x".repeat(20_000_000);

  test.each<[string, (url: string) => Promise<string>]>([
    [
      "a response",
      async (url) => {
        const { cookie } = await nemoClient({ url }, "patient").post("seed_session", {
          verifier_metadata: { index: 0 },
        });
        const body = JSON.stringify({ text, response: { output: [] } });
        const length = `Cookie: ${cookie}\r\nContent-Length: ${body.length}\r\n\r\n`;
        return `POST /nemo/patient/verify HTTP/1.1\r\n${json}${length}${body}`;
      },
    ],
    [
      "an event stream",
      async (url) => {
        await orsClient({ url }, "slow").post("/create", { split: "train", index: 0 });
        const body = JSON.stringify({ name: "respond", input: { text } });
        const length = `X-Session-ID: slow\r\nContent-Length: ${body.length}\r\n\r\n`;
        return `POST /patient/call HTTP/1.1\r\n${json}${length}${body}`;
      },
    ],
  ])("is disconnected while it does not read %s", async (_, request) => {
    await using server = await serve([patient()], { port: 0, clientTimeout: 500 });
    const socket = await rawSocket(server.url, await request(server.url));
    // By now the network buffers are full.
    await pause(3000);
    expect(await bytesUntilClosed(socket)).toBeLessThan(text.length);
  });

  test("gets no further steps over a socket until it reads", async () => {
    let steps = 0;
    const counting = defineEnvironment({
      name: "counting",
      description: "Counts",
      dataset: () => [{ prompt: "Count." }],
      respond: ({ reply }) => {
        steps += 1;
        return reply;
      },
      episode: { maxTurns: 1000 },
      rubric: { fine: () => 1 },
    });
    await using server = await serve([counting()], { port: 0 });
    await using socket = await OpenenvSocket.open(server.url);
    await socket.reset();
    socket.socket.pause();
    const sent = 100;
    const long = "x".repeat(1_000_000);
    for (let turn = 0; turn < sent; turn += 1) socket.send({ type: "step", data: { text: long } });
    let previousSteps = -1;
    await until(async () => {
      previousSteps = steps;
      await pause(300);
      return steps === previousSteps && steps > 0;
    });
    expect(steps).toBeLessThan(sent / 2);
    socket.socket.resume();
    for (let turn = 0; turn < sent; turn += 1)
      expect((await socket.next())?.data.observation).toEqual({ text: long });
    expect(steps).toBe(sent);
  });

  test("is disconnected if it does not read the responses to its pings", async () => {
    await using server = await serve([patient()], { port: 0, sessions: 1 });
    await using socket = await OpenenvSocket.open(server.url);
    await socket.reset();
    socket.socket.pause();
    const ping = Buffer.alloc(125);
    const isOpen = (): boolean => socket.socket.readyState === socket.socket.OPEN;
    const sent = (async () => {
      while (isOpen()) {
        for (let at = 0; at < 10_000; at += 1) socket.socket.ping(ping);
        await pause(1);
      }
    })();
    await until(async () => {
      await using other = await OpenenvSocket.open(server.url);
      return (await other.reset())?.type === "observation";
    });
    socket.socket.terminate();
    await sent;
    expect(isOpen()).toBe(false);
  });
});
