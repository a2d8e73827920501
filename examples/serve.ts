// Serve an environment to trainers, and play one game over OpenEnv's WebSocket.
import { once } from "node:events";

import { serve } from "@envs/serve";
import tictactoe from "@envs/tictactoe";

await using server = await serve([tictactoe()], { port: 0 });

const socket = new WebSocket(`${server.url.replace("http", "ws")}/tictactoe/ws`);
await once(socket, "open");
const ask = async (frame: object) => {
  socket.send(JSON.stringify(frame));
  const [{ data }] = (await once(socket, "message")) as [MessageEvent<string>];
  return (JSON.parse(data) as { data: Told }).data;
};
type Told = { observation: { text: string }; reward: number | null; done: boolean };

let game = await ask({ type: "reset", data: { split: "train", index: 1 } });
while (!game.done) {
  const cell = /Free positions: (\d)/u.exec(game.observation.text)?.[1];
  const text = `<think>The first that is free.</think>\n<move>${cell}</move>`;
  game = await ask({ type: "step", data: { text } });
  console.log(`X takes ${cell}, reward ${game.reward}`);
}
console.log(game.observation.text);
socket.close();
