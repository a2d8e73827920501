import { assistantMessage, evaluate, policy } from "@envs/core";
import { episode } from "@envs/core/engine";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test } from "vitest";

import connectThree from "../connect-three.ts";

test("passes the conformance suite", async () => {
  await expect(checkEnvironment(connectThree, { fullReward: 1.2 })).resolves.toBeUndefined();
});

test("policy:perfect always wins, policy:random does not", async () => {
  const options = { examples: 100, rolloutsPerExample: 1 };
  const perfect = await evaluate(connectThree(), { ...options, model: policy("perfect") });
  const random = await evaluate(connectThree(), { ...options, model: policy("random") });
  expect(perfect.scores.win.mean).toBe(1);
  expect(random.scores.win.mean).toBeGreaterThan(0.4);
  expect(random.scores.win.mean).toBeLessThan(0.8);
});

test("a reply with words beside the column loses, since a model would otherwise learn not to stop", async () => {
  const game = episode(connectThree(), { prompt: "", game: 1 });
  await game.start();
  const { isDone, messages } = await game.step(assistantMessage("<column>2</column> and so on"));
  expect(isDone).toBe(true);
  expect(messages.at(-1)?.content).toContain("Not an open column. You lose.");
});

test("a disc falls to the lowest free cell, and a fifth disc in a column loses", async () => {
  const game = episode(connectThree(), { prompt: "", game: 1 });
  await game.start();
  const { messages } = await game.step(assistantMessage("<column>2</column>"));
  expect(messages.at(-1)?.content).toMatch(/^\.{4}\n\.{4}\n(?:[.O]{4})\n.X..\n|X/u);
  const { isDone, messages: after } = await game.step(assistantMessage("<column>5</column>"));
  expect(isDone).toBe(true);
  expect(after.at(-1)?.content).toContain("Not an open column. You lose.");
});
