import { describe, expect, test, vi } from "vitest";

import { episode } from "../../src/episode/episode.ts";
import { defineEnvironment, evaluate, type EvaluateOptions } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const log: string[] = [];

const resource = (name: string) => ({
  async [Symbol.asyncDispose]() {
    await Promise.resolve();
    log.push(name);
  },
});

const syncResource = (name: string) => ({
  [Symbol.dispose]() {
    log.push(name);
  },
});

interface Hooks {
  readonly setup: () => unknown;
  readonly close?: () => void | Promise<void>;
  readonly respond?: () => string;
  readonly score?: () => number;
}

function environmentWith({ setup, close, respond, score = () => 1 }: Hooks) {
  return defineEnvironment({
    name: "bench",
    dataset: () => [{ prompt: "Go." }],
    setup,
    ...(respond && { respond }),
    ...(close && { episode: { close } }),
    rubric: { one: score },
  })();
}

async function play(hooks: Hooks, options: Partial<EvaluateOptions> = {}) {
  log.length = 0;
  const { rollouts } = await evaluate(environmentWith(hooks), {
    model: scriptedModel("Done."),
    rolloutsPerExample: 1,
    ...options,
  });
  const [played] = rollouts;
  return { log: [...log], error: played?.status === "failed" ? played.error : undefined };
}

describe("what setup returned", () => {
  test("is disposed in reverse order, after close", async () => {
    const { log: order, error } = await play({
      setup: () => ({ first: resource("first"), text: "", second: syncResource("second") }),
      close: () => void log.push("close"),
    });
    expect(error).toBeUndefined();
    expect(order).toEqual(["close", "second", "first"]);
  });

  test("is disposed once if two fields hold it", async () => {
    const shared = resource("shared");
    const { log: order } = await play({ setup: () => ({ shared, again: shared }) });
    expect(order).toEqual(["shared"]);
  });

  test("disposes its fields itself if it can be disposed", async () => {
    const { log: order } = await play({
      setup: () => ({ ...resource("state"), inner: resource("inner") }),
    });
    expect(order).toEqual(["state"]);
  });

  test("is disposed if a hook replaced the field", async () => {
    const state = { box: resource("box") as unknown };
    const { log: order } = await play({
      setup: () => state,
      close: () => void (state.box = undefined),
    });
    expect(order).toEqual(["box"]);
  });

  test("can be a stack of resources", async () => {
    const setup = () => {
      const stack = new AsyncDisposableStack();
      stack.use(resource("one"));
      stack.defer(() => void log.push("two"));
      return { stack };
    };
    expect((await play({ setup })).log).toEqual(["two", "one"]);
  });

  test.each<[string, Partial<Hooks>]>([
    ["a score throws", { score: () => Number.NaN }],
    [
      "respond throws",
      {
        respond: () => {
          throw new Error("no");
        },
      },
    ],
  ])("is disposed if %s", async (_case, hooks) => {
    const { log: order, error } = await play({ setup: () => ({ box: resource("box") }), ...hooks });
    expect(error).toBeDefined();
    expect(order).toEqual(["box"]);
  });

  test("is disposed if the model never answers and the rollout times out", async () => {
    const { log: order, error } = await play(
      { setup: () => ({ box: resource("box") }) },
      { model: () => new Promise(() => {}), rolloutTimeout: 1 },
    );
    expect(error?.code).toBe("timeout");
    expect(order).toEqual(["box"]);
  });

  test("is disposed if the run is cancelled", async () => {
    const run = new AbortController();
    const { log: order } = await play(
      { setup: () => ({ box: resource("box") }) },
      {
        signal: run.signal,
        model: () => {
          run.abort();
          return new Promise(() => {});
        },
      },
    );
    expect(order).toEqual(["box"]);
  });

  test("is disposed once setup has ended, if it ended after its time limit", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const setup = async () => {
      await promise;
      return { box: resource("late box") };
    };
    const { error } = await play({ setup }, { hookTimeout: 1 });
    expect(error).toMatchObject({ code: "timeout", message: "setup took longer than 1 ms." });
    resolve();
    await vi.waitFor(() => expect(log).toEqual(["late box"]), { timeout: 120_000 });
  });
});

describe("a disposal that fails", () => {
  const broken = {
    [Symbol.dispose]() {
      throw new Error("it is stuck");
    },
  };

  test("fails the rollout, and the others are disposed", async () => {
    const { log: order, error } = await play({
      setup: () => ({ first: resource("first"), broken, last: resource("last") }),
    });
    expect(order).toEqual(["last", "first"]);
    expect(error).toMatchObject({
      code: "environment",
      message: "the disposal of state.broken: it is stuck",
    });
  });

  test("does not prevent disposals if close threw, whose error counts", async () => {
    const { log: order, error } = await play({
      setup: () => ({ first: resource("first"), broken }),
      close: () => {
        throw new Error("close is broken");
      },
    });
    expect(order).toEqual(["first"]);
    expect(error?.message).toBe("close: close is broken");
  });

  test("is a timeout if it hangs, and the others are disposed", async () => {
    const hanging = { [Symbol.asyncDispose]: () => new Promise<void>(() => {}) };
    const { log: order, error } = await play(
      { setup: () => ({ first: resource("first"), hanging }) },
      { hookTimeout: 5 },
    );
    expect(order).toEqual(["first"]);
    expect(error).toMatchObject({
      code: "timeout",
      message: "the disposal of state.hanging took longer than 5 ms.",
    });
  });
});

test("an episode that is closed before its start releases nothing", async () => {
  log.length = 0;
  const idle = episode(environmentWith({ setup: () => ({ box: resource("box") }) }), {
    prompt: "Go.",
  });
  await idle.close();
  expect(log).toEqual([]);
});
