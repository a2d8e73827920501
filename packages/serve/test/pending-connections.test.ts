import { expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";

test("idle sockets do not use sessions, and the least recently active one is closed above the limit", async () => {
  await using server = await serve([patient()], { port: 0, sessions: 2 });
  const sockets: OpenenvSocket[] = [];
  const open = async () => {
    const socket = await OpenenvSocket.open(server.url);
    sockets.push(socket);
    return socket;
  };
  for (let count = 0; count < 1000; count += 1) await open();
  const [pinging, playing] = sockets as [OpenenvSocket, OpenenvSocket];
  expect((await playing.reset())?.type).toBe("observation");
  const pong = new Promise((resolve) => pinging.socket.once("pong", resolve));
  pinging.socket.ping();
  await pong;
  await open();
  await open();
  const leastActive = sockets[2]!;
  expect(await leastActive.next()).toMatchObject({
    type: "error",
    data: { code: "CAPACITY_REACHED" },
  });
  expect(await leastActive.closed).toBe(1000);
  expect((await pinging.reset())?.type).toBe("observation");
  expect((await playing.step({ text: "a" }))?.type).toBe("observation");
  await Promise.all(sockets.map((socket) => socket[Symbol.asyncDispose]()));
});
