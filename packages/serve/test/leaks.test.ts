import { expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { expectNoLeak } from "./support/leaks.ts";
import { rowWithOutput, message, nemoClient, rowOf } from "./support/nemo-client.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";
import { orsClient } from "./support/ors-client.ts";

const module = new URL("fixtures/demanding.ts", import.meta.url).href;
const fragile = new URL("fixtures/fragile.ts", import.meta.url).href;

test("responses do not leak errors of environments or paths of this machine", async () => {
  await using server = await serve([{ module }, { module: fragile }], { port: 0, processes: 1 });
  const reset = async (path: string, index: number) => {
    const socket = await OpenenvSocket.open(server.url, path);
    return { socket, opened: await socket.reset({ index }) };
  };
  const responses: unknown[] = [];
  for (const text of ["throw", "misuse", "exit"]) {
    const { socket } = await reset("/demanding/ws", 0);
    responses.push(await socket.step({ text }));
    await socket[Symbol.asyncDispose]();
    const agent = nemoClient(server, "demanding");
    await agent.post("reset", rowOf(0));
    responses.push((await agent.post("step", rowWithOutput(rowOf(0), message(text)))).text);
    await agent.post("reset", rowOf(0));
    responses.push((await agent.post("respond", { text })).text);
    const { post } = orsClient(server, text);
    await post("/create", { env_name: "demanding", split: "train", index: 0 });
    responses.push((await post("/demanding/call", { name: "respond", input: { text } })).text);
    responses.push((await post("/demanding/step", { action: { text } })).text);
  }
  const { socket, opened } = await reset("/fragile/ws", 1);
  await socket[Symbol.asyncDispose]();
  responses.push(opened, (await nemoClient(server, "fragile").post("reset", rowOf(1))).text);
  const { post, get } = orsClient(server, "fragile");
  await post("/create", { env_name: "fragile", split: "train", index: 1 });
  responses.push((await get("/fragile/prompt")).text);
  expect(responses).toHaveLength(18);
  for (const response of responses) {
    expect(JSON.stringify(response)).toMatch(/failed|ended/u);
    expectNoLeak(JSON.stringify(response));
  }
});
