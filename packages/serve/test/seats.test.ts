import { defineEnvironment, end } from "@envs/core";
import { describe, expect } from "vitest";

import { orsClient } from "./support/ors-client.ts";
import { test } from "./support/test-server.ts";

/** A race to four: both sides add 1 or 2, and the last to add wins. */
const race = defineEnvironment({
  name: "race",
  dataset: () => [{ prompt: [] }],
  seats: { first: { policy: "one" }, second: { policy: "one" } },
  setup: () => ({ sum: 0, next: "first" as "first" | "second" }),
  turn: ({ state }) => state.next,
  observe: ({ state, seat }) => `${seat} reads ${state.sum}`,
  respond({ reply, state, seat }) {
    state.sum += Number(reply);
    state.next = seat === "first" ? "second" : "first";
    return state.sum >= 4 ? end() : [];
  },
  rubric: { won: ({ state, seat }) => state.sum >= 4 && state.next !== seat },
  policies: { one: () => "1" },
});

describe("an environment with seats", () => {
  test("is played in its first seat, and policies play the others", async ({ startServer }) => {
    const { openSocket } = await startServer([race()]);
    const socket = await openSocket();
    expect(JSON.stringify(await socket.reset())).toContain("first reads 0");
    expect(JSON.stringify(await socket.step({ text: "1" }))).toContain("first reads 2");
    expect((await socket.step({ text: "2" }))?.data).toMatchObject({ done: true, reward: 1 });
  });

  test("is played in the seat of a reset over OpenEnv", async ({ startServer }) => {
    const { openSocket } = await startServer([race()]);
    const socket = await openSocket();
    expect(JSON.stringify(await socket.reset({ seat: "second" }))).toContain("second reads 1");
    expect(JSON.stringify(await socket.step({ text: "1" }))).toContain("second reads 3");
    expect((await socket.step({ text: "1" }))?.data).toMatchObject({ done: true, reward: 1 });
  });

  test("is played in the seat of a session over ORS", async ({ startServer }) => {
    const client = orsClient(await startServer([race()]), "session");
    await client.post("/create", { task_spec: { split: "train", index: 0, seat: "second" } });
    expect((await client.get("/race/prompt")).text).toContain("second reads 1");
  });

  test("rejects a seat that it does not have", async ({ startServer }) => {
    const { openSocket } = await startServer([race()]);
    const socket = await openSocket();
    const answer = await socket.request({ type: "reset", data: { seat: "third" } });
    expect(JSON.stringify(answer)).toContain(
      'race has no seat named \\"third\\". Its seats are: first, second.',
    );
  });
});
