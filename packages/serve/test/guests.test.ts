import { expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";

test("thousands of sockets that say nothing take no session; when there are too many, the most silent one goes", async () => {
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
  const gone = sockets[2]!;
  expect(await gone.next()).toMatchObject({ type: "error", data: { code: "CAPACITY_REACHED" } });
  expect(await gone.closed).toBe(1000);
  expect((await pinging.reset())?.type).toBe("observation");
  expect((await playing.step({ text: "a" }))?.type).toBe("observation");
  await Promise.all(sockets.map((socket) => socket[Symbol.asyncDispose]()));
});
