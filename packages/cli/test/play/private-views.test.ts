import { assistantMessage, type Model, textOf } from "@envs/core";
import { expect, it } from "vitest";

import kuhnPoker from "../../../../environments/kuhn-poker/src/index.ts";
import { playLines } from "./nim.ts";

const cardIn = /You are \w+ and hold ([JQK])\./;

/** A model that writes its hidden card into all parts of its replies. */
const talkative: Model = async ({ messages }) => {
  const read = messages.map(({ content }) => textOf(content)).join("\n");
  const secret = `secretly holds ${cardIn.exec(read)![1]}`;
  const action = read.endsWith("Fold or call?") ? "fold" : "check";
  const reply = assistantMessage(`<action>${action}</action> ${secret}`);
  return { message: { ...reply, reasoning_content: secret }, finish: "stop" };
};

it("does not show a person the reply of another seat", async () => {
  const { output, code } = await playLines(["/show", "bet", "n"], {
    environment: kuhnPoker(),
    model: talkative,
    modelSeat: "player0",
    personSeat: "player1",
  });
  expect(code).toBe(0);
  expect(output).toContain("rival player0 · turn 1 · ");
  expect(output).toContain("player0: check.");
  expect(output).toContain("player0: fold. You win 1.");
  expect(output).not.toContain("secretly");
});
