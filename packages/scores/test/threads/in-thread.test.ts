import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { defineEnvironment, evaluate } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { inThread } from "@envs/scores/threads";
import { describe, expect, it } from "vitest";

import type * as functions from "./grade.ts";

const grade = new URL("./grade.ts", import.meta.url);

describe("inThread", () => {
  it("returns what the function returns", async () => {
    const square = inThread<typeof functions.square>(grade, "square");
    expect(await Promise.all([square(2), square(3)])).toEqual([4, 9]);
  });

  it("keeps the name, the message and the fields of an error", async () => {
    const fail = inThread<typeof functions.fail>(grade, "fail");
    await expect(fail("Too large.")).rejects.toMatchObject({
      name: "RangeError",
      message: "Too large.",
      code: "E_GRADE",
      issues: [{ path: ["a"] }],
    });
  });

  it("rejects when the module has no such function", async () => {
    await expect(inThread(grade, "missing")(undefined as never)).rejects.toThrow(
      "grade.ts does not export a function missing.",
    );
  });

  it("rejects a result that cannot be copied", async () => {
    const unsendable = inThread<typeof functions.unsendable>(grade, "unsendable");
    await expect(unsendable(undefined)).rejects.toThrow("could not be cloned");
  });

  it("ends a thread at the time limit and continues with another", async () => {
    const block = inThread<typeof functions.block>(grade, "block", { timeout: 50, threads: 1 });
    await expect(block({ ms: 60_000 })).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("block ran longer than 50 ms in its thread") as string,
    });
    expect(await block({ ms: 0 })).toBe(0);
  });

  it("does not count the time in the queue", async () => {
    const block = inThread<typeof functions.block>(grade, "block", { timeout: 700, threads: 1 });
    const results = await Promise.all(Array.from({ length: 4 }, () => block({ ms: 200 })));
    expect(results).toEqual([200, 200, 200, 200]);
  });

  it("rejects a running and a waiting call with the signal's reason", async () => {
    const block = inThread<typeof functions.block>(grade, "block", { threads: 1 });
    const controller = new AbortController();
    const calls = [1, 2].map(() => block({ ms: 60_000 }, { signal: controller.signal }));
    controller.abort(new Error("The rollout has ended."));
    const outcomes = await Promise.allSettled(calls);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ reason: { message: "The rollout has ended." } });
  });

  it("rejects when the function ends its thread", async () => {
    const exit = inThread<typeof functions.exit>(grade, "exit", { threads: 1 });
    await expect(exit(3)).rejects.toThrow("exited with code: 3");
  });

  it("lets other rollouts continue while a score computes", async () => {
    const block = inThread<typeof functions.block>(grade, "block", { threads: 1 });
    const events: string[] = [];
    const environment = defineEnvironment({
      name: "slow-score",
      dataset: () => [{ prompt: "slow" }, { prompt: "quick" }],
      rubric: {
        graded: async ({ example }) => {
          if (example.prompt === "slow") await block({ ms: 400 });
          events.push(example.prompt);
          return 1;
        },
      },
    });
    const { reward } = await evaluate(environment(), {
      model: scriptedModel("done"),
      rolloutsPerExample: 1,
    });
    expect(reward.mean).toBe(1);
    expect(events).toEqual(["quick", "slow"]);
  });

  it("lets the process exit while threads are idle", async () => {
    const program = `
      import { inThread } from ${JSON.stringify(new URL("../../src/threads/in-thread.ts", import.meta.url).href)};
      console.log(await inThread(new URL(${JSON.stringify(grade.href)}), "square", { idleTimeout: 600_000 })(5));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", program],
      { timeout: 30_000 },
    );
    expect(stdout).toBe("25\n");
  });
});
