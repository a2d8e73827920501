import { expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";

test("idle sockets do not use sessions, and the least recently active one is closed above the limit", async () => {
  await using server = await serve([patient()], { port: 0, sessions: 2 });
  const open = () => OpenenvSocket.open(server.url);
  const pinging = await open();
  const playing = await open();
  const leastActive = await open();
  const others = await Promise.all(Array.from({ length: 997 }, open));
  expect((await playing.reset())?.type).toBe("observation");
  const pong = new Promise((resolve) => pinging.socket.once("pong", resolve));
  pinging.socket.ping();
  await pong;
  others.push(await open(), await open());
  expect(await leastActive.next()).toMatchObject({
    type: "error",
    data: { code: "CAPACITY_REACHED" },
  });
  expect(await leastActive.closed).toBe(1000);
  expect((await pinging.reset())?.type).toBe("observation");
  expect((await playing.step({ text: "a" }))?.type).toBe("observation");
  const sockets = [pinging, playing, leastActive, ...others];
  await Promise.all(sockets.map((socket) => socket[Symbol.asyncDispose]()));
});
