import doubleCheck from "@envs/double-check";
import reverseText from "@envs/reverse-text";
import { describe, expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { rowWithOutput, message, nemoClient, rowOf } from "./support/nemo-client.ts";
import { playCore } from "./support/play-core.ts";

/** The bodies of NeMo Gym's environment servers: a row, and the name of its session. */
function namedSession(name: string, index = 0) {
  const episode_id = { rollout_id: `rollout-${name}`, attempt: 0 };
  const task_id = { taskset: "here:train", task_id: String(index) };
  return {
    seed: { resources_session_id: name, episode_id, task_id, task_data: rowOf(index) },
    close: { resources_session_id: name, episode_id },
  };
}

describe("/close_session", () => {
  test.each(["seed_session", "reset"])(
    "closes a session that %s opened, and ignores a second call",
    async (openRoute) => {
      await using server = await serve([doubleCheck()], { port: 0, sessions: 1 });
      for (let round = 0; round < 3; round += 1) {
        const agent = nemoClient(server, "double-check");
        expect((await agent.post(openRoute, rowOf(0))).status).toBe(200);
        for (let turn = 0; turn < 2; turn += 1)
          expect(await agent.post("close_session")).toMatchObject({ status: 200, text: "{}" });
        expect((await agent.post("respond", { text: "1" })).status).toBe(410);
      }
    },
  );

  test("returns 200 without a session", async () => {
    await using server = await serve([doubleCheck()], { port: 0 });
    const agent = nemoClient(server, "double-check");
    expect((await agent.post("close_session")).status).toBe(200);
    expect((await agent.post("close_session", null)).status).toBe(200);
  });

  test("keeps the outcome of a verified session", async () => {
    await using server = await serve([reverseText()], { port: 0 });
    const agent = nemoClient(server, "reverse-text");
    await agent.post("seed_session", rowOf(0));
    const reply = rowWithOutput(rowOf(0), message("<reversed>no</reversed>"));
    const { reward } = (await agent.post("verify", reply)).json;
    expect((await agent.post("close_session")).status).toBe(200);
    expect((await agent.post("verify", reply)).json).toMatchObject({ reward });
  });
});

describe("a named session", () => {
  test("stays the same when it is seeded again, and has the reward of its replies", async () => {
    await using server = await serve([doubleCheck()], { port: 0, sessions: 1 });
    const { seed, close } = namedSession("one", 2);
    const agents = Array.from({ length: 3 }, () => nemoClient(server, "double-check"));
    const seeded = await Promise.all(agents.map((agent) => agent.post("seed_session", seed)));
    for (const { json, cookie } of seeded) {
      expect(json).toEqual({ resources_session_id: "one" });
      expect(cookie).toBe(seeded[0]!.cookie);
    }
    expect((await agents[0]!.post("respond", { text: "\\boxed{1}" })).text).toBe("Are you sure?");
    await agents[1]!.post("seed_session", seed);
    const replies = ["\\boxed{1}", "\\boxed{2}"];
    const { reward } = await playCore(doubleCheck(), { index: 2 }, replies);
    const body = rowWithOutput(rowOf(2), message(replies[1]!));
    expect((await agents[1]!.post("verify", body)).json).toMatchObject({ reward });
    expect((await agents[2]!.post("close_session", close)).json).toEqual({
      resources_session_id: "one",
    });
  });

  test("frees a session when it closes, and cannot be seeded again", async () => {
    await using server = await serve([doubleCheck()], { port: 0, sessions: 1 });
    for (const name of ["one", "two"]) {
      const { seed, close } = namedSession(name);
      const agent = nemoClient(server, "double-check");
      expect((await agent.post("seed_session", seed)).status).toBe(200);
      for (let turn = 0; turn < 2; turn += 1)
        expect(
          (await nemoClient(server, "double-check").post("close_session", close)).json,
        ).toEqual({ resources_session_id: name });
      expect((await agent.post("respond", { text: "1" })).status).toBe(410);
      const late = await agent.post("seed_session", seed);
      expect([late.status, late.json.detail]).toEqual([410, expect.stringMatching(/was closed/u)]);
    }
    const { seed, close } = namedSession("never");
    const agent = nemoClient(server, "double-check");
    expect((await agent.post("close_session", close)).status).toBe(200);
    expect((await agent.post("seed_session", seed)).status).toBe(410);
  });

  test("can be seeded again after a failure", async () => {
    await using server = await serve([doubleCheck()], { port: 0, sessions: 1 });
    const agent = nemoClient(server, "double-check");
    const { seed } = namedSession("one");
    expect((await agent.post("seed_session", { ...seed, task_data: rowOf(1e9) })).status).toBe(400);
    expect((await agent.post("seed_session", { ...seed, task_data: undefined })).status).toBe(422);
    expect((await agent.post("seed_session", seed)).status).toBe(200);
  });
});

test.each([
  ["max_output_tokens", true],
  ["content_filter", false],
  [undefined, false],
])("a reply with the incomplete reason %s is truncated: %s", async (reason, isTruncated) => {
  await using server = await serve([reverseText()], { port: 0 });
  const agent = nemoClient(server, "reverse-text");
  const { response, ...row } = rowWithOutput(rowOf(0), message("<reversed>x"));
  const incomplete_details = reason === undefined ? null : { reason };
  const body = { ...row, response: { ...(response as object), incomplete_details } };
  await agent.post("seed_session", rowOf(0));
  expect((await agent.post("verify", body)).json).toMatchObject({
    is_truncated: isTruncated,
    stop_reason: "end",
  });
  await agent.post("reset", rowOf(0));
  expect((await agent.post("step", body)).json).toMatchObject({
    terminated: !isTruncated,
    truncated: isTruncated,
  });
});
