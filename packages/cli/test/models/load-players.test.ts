import { evaluate } from "@envs/core";
import { expect, test } from "vitest";

import kuhnPoker from "../../../../environments/kuhn-poker/src/index.ts";
import reverseText from "../../../../environments/reverse-text/src/index.ts";
import { loadPlayers, seatModelNames } from "../../src/models/load-players.ts";

const options = { endpoints: {}, concurrency: 4 };

test("assigns models to seats", () => {
  const names = seatModelNames(kuhnPoker(), "player1=gguf:a,b.gguf,player0=policy:careless(0.5)");
  expect([...names!]).toEqual([
    ["player1", "gguf:a,b.gguf"],
    ["player0", "policy:careless(0.5)"],
  ]);
});

test("plays models against each other, and rewards the first", async () => {
  const name = "player1=policy:clairvoyant,player0=policy:honest";
  const { model, models } = await loadPlayers(kuhnPoker(), name, options);
  expect(model.id).toBe(name);
  const { rollouts, reward, seats } = await evaluate(kuhnPoker(), {
    model: models,
    examples: 60,
    rolloutsPerExample: 1,
  });
  expect(rollouts[0]).toMatchObject({ seat: "player1", otherSeats: { player0: {} } });
  expect(seats?.["player0"]?.reward.mean).toBeCloseTo(-reward.mean!, 12);
});

test("reads a name with an equal sign as one model where there are no seats", () => {
  expect(seatModelNames(reverseText(), "a=b")).toBeUndefined();
  expect(seatModelNames(kuhnPoker(), "policy:honest")).toBeUndefined();
});

test.each([
  ["white=policy:honest", 'no seat named "white". Its seats are: player0, player1.'],
  ["player0=policy:honest,player0=policy:careless", "two models for the seat player0"],
  ["player0=", "Missing model for the seat player0"],
])("rejects %s", (name, message) => {
  expect(() => seatModelNames(kuhnPoker(), name)).toThrow(message);
});
