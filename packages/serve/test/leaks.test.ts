import { expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { expectNoLeak } from "./support/leaks.ts";
import { answering, message, nemoClient, rowOf } from "./support/nemo-client.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";
import { orsClient } from "./support/ors-client.ts";

const module = new URL("fixtures/demanding.ts", import.meta.url).href;
const broken = new URL("fixtures/fragile.ts", import.meta.url).href;

test("whatever an environment throws, and however its thread ends, no answer tells of this machine", async () => {
  await using server = await serve([{ module }, { module: broken }], { port: 0, threads: 1 });
  const reset = async (path: string, index: number) => {
    const socket = await OpenenvSocket.open(server.url, path);
    return { socket, opened: await socket.reset({ index }) };
  };
  const answers: unknown[] = [];
  for (const text of ["throw", "misuse", "exit"]) {
    const { socket } = await reset("/demanding/ws", 0);
    answers.push(await socket.step({ text }));
    await socket[Symbol.asyncDispose]();
    const agent = nemoClient(server, "demanding");
    await agent.post("reset", rowOf(0));
    answers.push((await agent.post("step", answering(rowOf(0), message(text)))).text);
    await agent.post("reset", rowOf(0));
    answers.push((await agent.post("respond", { text })).text);
    const { post } = orsClient(server, text);
    await post("/create", { env_name: "demanding", split: "train", index: 0 });
    answers.push((await post("/demanding/call", { name: "respond", input: { text } })).text);
    answers.push((await post("/demanding/step", { action: { text } })).text);
  }
  const { socket, opened } = await reset("/fragile/ws", 1);
  await socket[Symbol.asyncDispose]();
  answers.push(opened, (await nemoClient(server, "fragile").post("reset", rowOf(1))).text);
  const { post, get } = orsClient(server, "fragile");
  await post("/create", { env_name: "fragile", split: "train", index: 1 });
  answers.push((await get("/fragile/prompt")).text);
  expect(answers).toHaveLength(18);
  for (const answer of answers) {
    expect(JSON.stringify(answer)).toMatch(/failed|ended/u);
    expectNoLeak(JSON.stringify(answer));
  }
});
