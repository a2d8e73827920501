// A tiny language model plays tic-tac-toe in this process, on two threads.
import { evaluate } from "@envs/core";
import tictactoe from "@envs/tictactoe";
import { chatModel, TinyModel } from "@envs/tiny-model";
import { findCheckpoint } from "@envs/tiny-model/node";

const { checkpoint } = await findCheckpoint("tiny:tictactoe");
const tiny = await TinyModel.start("tiny:tictactoe", checkpoint, { threads: 2 });
const { scores } = await evaluate(tictactoe(), { model: chatModel(tiny), examples: 50, seed: 1 });
console.log(`lost ${Math.round(100 * (scores["loss"]?.mean ?? 1))} % of the games`);
await tiny.close();
