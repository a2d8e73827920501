import {
  assistant,
  defineEnvironment,
  type Message,
  type Model,
  type ModelRequest,
  rollouts,
  user,
} from "@envs/core";
import { isRolloutError } from "@envs/core/engine";
import { describe, expect, test } from "vitest";

import { sequencesOf } from "../src/algorithms/trajectory.ts";
import { backendModel } from "../src/backend-model.ts";
import type { Backend, Completion, SampleRequest } from "../src/backend.ts";
import { small } from "./tiny/running.ts";
import { smallCheckpoint } from "./tiny/small.ts";

const never = new AbortController().signal;

function ask(messages: readonly Message[], given: Partial<ModelRequest> = {}): ModelRequest {
  return { messages, signal: never, seed: 3, sampling: { maxTokens: 9 }, ...given };
}

/** A backend over a tiny one whose sampling is in the test's hands. */
async function watched(
  sample: (
    requests: readonly SampleRequest[],
    real: Backend["sample"],
  ) => ReturnType<Backend["sample"]>,
): Promise<{ backend: Backend; batches: (readonly SampleRequest[])[] }> {
  const real = await small({}, smallCheckpoint(96));
  const batches: (readonly SampleRequest[])[] = [];
  const backend: Backend = {
    id: real.id,
    renderer: real.renderer,
    contextLength: real.contextLength,
    sample: (requests) => {
      batches.push(requests);
      return sample(requests, (each) => real.sample(each));
    },
    forward: (data) => real.forward(data),
    forwardBackward: (data, loss) => real.forwardBackward(data, loss),
    optimStep: (settings) => real.optimStep(settings),
    saveState: (path) => real.saveState(path),
    loadState: (path) => real.loadState(path),
    close: () => real.close(),
  };
  return { backend, batches };
}

/** An environment that chats on, whatever is said. */
const chat = defineEnvironment({
  name: "chat",
  description: "Say anything.",
  maxTurns: 4,
  *dataset() {
    for (let at = 0; at < 5; at += 1) yield { prompt: `Game ${at}: X` };
  },
  respond: ({ reply }) => `You said ${reply.length} letters.`,
  rubric: { length: ({ completion }) => completion.length },
});

describe("a conversation", () => {
  test("keeps the tokens that were sampled, turn after turn", async () => {
    const { backend } = await watched((requests, real) => real(requests));
    const model = backendModel(backend);
    let played = 0;
    for await (const rollout of rollouts(chat(), {
      model,
      examples: 5,
      rolloutsPerExample: 2,
      sampling: { maxTokens: 7 },
      seed: 1,
    })) {
      played += 1;
      const traces = rollout.trajectory.map(({ tokens }) => tokens!);
      expect(traces.length).toBeGreaterThan(1);
      for (const [turn, { promptIds }] of traces.slice(1).entries()) {
        const said = [...traces[turn]!.promptIds, ...traces[turn]!.completionIds];
        expect(promptIds.slice(0, said.length)).toEqual(said);
      }
      expect(sequencesOf(rollout)).toHaveLength(1);
    }
    expect(played).toBe(10);
  });

  test("shows each reply its end, also one that was cut short", async () => {
    const { backend } = await watched((requests, real) => real(requests));
    const model = backendModel(backend);
    const [end] = backend.renderer.stopIds;
    const ended = new Set<string>();
    for (let seed = 0; seed < 40; seed += 1) {
      const opening = [{ role: "system", content: "You play X." } as const, user("4")];
      const first = await model(ask(opening, { seed }));
      ended.add(first.finish);
      const second = await model(ask([...opening, first.message, user("5")], { seed }));
      const before = [...first.tokens!.promptIds, ...first.tokens!.completionIds];
      const added = second.tokens!.promptIds.slice(before.length);
      const question = [...backend.renderer.bridge([user("5")], true)];
      expect(added).toEqual(first.finish === "stop" ? question : [end, ...question]);
    }
    expect(ended).toEqual(new Set(["stop", "length"]));
  });

  test("that the model did not hold itself is read anew", async () => {
    const { backend } = await watched((requests, real) => real(requests));
    const model = backendModel(backend);
    const messages = [user("4"), assistant("X"), user("5")];
    const { tokens } = await model(ask(messages));
    expect(tokens!.promptIds).toEqual(backend.renderer.prompt(messages));
  });

  test("may go on in several ways from one reply, at the same time", async () => {
    const { backend } = await watched((requests, real) => real(requests));
    const model = backendModel(backend);
    const first = await model(ask([user("4")]));
    const ways = ["5", "6", "You win."].map((text) => [user("4"), first.message, user(text)]);
    const together = await Promise.all(ways.map((messages) => model(ask(messages))));
    for (const [at, messages] of ways.entries())
      expect(await model(ask(messages))).toEqual(together[at]);
  });
});

describe("a reply", () => {
  test("is the text of its tokens, which have log-probabilities and are counted", async () => {
    const { backend } = await watched((requests, real) => real(requests));
    const { message, tokens, usage, finish } = await backendModel(backend)(ask([user("4")]));
    expect(message).toEqual(assistant(backend.renderer.text(tokens!.completionIds)));
    expect(tokens!.completionLogprobs).toHaveLength(tokens!.completionIds.length);
    expect(usage).toEqual({
      inputTokens: tokens!.promptIds.length,
      outputTokens: tokens!.completionIds.length,
    });
    expect(["stop", "length"]).toContain(finish);
  });

  test("ends before a stop text; its tokens end with it, and the next turn continues them", async () => {
    const { backend } = await watched((requests, real) => real(requests));
    const model = backendModel(backend);
    let stopped = 0;
    for (let seed = 0; seed < 20; seed += 1) {
      const sampling = { maxTokens: 20 };
      const whole = await model(ask([user("4")], { seed, sampling }));
      const { content } = whole.message;
      if (content.length < 4) continue;
      const stop = [content.slice(2, 4), "never said"];
      const cut = await model(ask([user("4")], { seed, sampling: { ...sampling, stop } }));
      stopped += 1;
      expect(cut.finish).toBe("stop");
      expect(cut.message.content).toBe(content.slice(0, content.indexOf(stop[0]!)));
      const { completionIds, completionLogprobs, promptIds } = cut.tokens!;
      const count = completionIds.length;
      expect(cut.usage!.outputTokens).toBe(count);
      expect(completionIds).toEqual(whole.tokens!.completionIds.slice(0, count));
      expect(completionLogprobs).toEqual(whole.tokens!.completionLogprobs.slice(0, count));
      expect(backend.renderer.text(completionIds)).toContain(stop[0]);
      expect(backend.renderer.text(completionIds.slice(0, -1))).not.toContain(stop[0]);

      const next = await model(ask([user("4"), cut.message, user("5")], { seed }));
      const before = [...promptIds, ...completionIds];
      expect(next.tokens!.promptIds.slice(0, before.length)).toEqual(before);
    }
    expect(stopped).toBeGreaterThan(5);
  });

  test("follows the request first, then the model's options", async () => {
    const { backend, batches } = await watched((requests, real) => real(requests));
    const model = backendModel(backend, { temperature: 0.5, topP: 0.9, maxTokens: 4 });
    await model({ messages: [user("4")], signal: never, seed: 8 });
    await model(ask([user("4")], { sampling: { temperature: 0, topP: 0.8, maxTokens: 2 } }));
    const plain = backendModel(backend);
    await plain({ messages: [user("4")], signal: never });
    const room = 96 - backend.renderer.prompt([user("4")]).length;
    expect(batches.flat()).toMatchObject([
      { temperature: 0.5, topP: 0.9, maxTokens: 4, seed: 8 },
      { temperature: 0, topP: 0.8, maxTokens: 2, seed: 3 },
      { temperature: 1, topP: 1, maxTokens: room },
    ]);
  });

  test("differs from time to time where no seed is given, and in the same way in every process", async () => {
    const said: string[][] = [];
    for (let time = 0; time < 2; time += 1) {
      const model = backendModel((await watched((requests, real) => real(requests))).backend);
      const replies = await Promise.all(
        Array.from({ length: 6 }, () => model({ messages: [user("4")], signal: never })),
      );
      said.push(replies.map(({ message }) => message.content));
    }
    expect(new Set(said[0]).size).toBeGreaterThan(1);
    expect(said[1]).toEqual(said[0]);
  });
});

describe("what comes together", () => {
  test("is sampled together; what comes meanwhile waits for the next batch", async () => {
    const { backend, batches } = await watched((requests, real) => real(requests));
    const model = backendModel(backend);
    const early = [1, 2, 3].map((seed) => model(ask([user("4")], { seed })));
    const late = early[0]!.then(() =>
      Promise.all([4, 5].map((seed) => model(ask([user("4")], { seed })))),
    );
    await Promise.all([...early, late]);
    expect(batches.map((batch) => batch.map(({ seed }) => seed))).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });
});

describe("a conversation that no longer fits", () => {
  test("is an overflow", async () => {
    const { backend } = await watched((requests, real) => real(requests));
    const asked = backendModel(backend)(ask([user("4 | 5 | X ".repeat(60))]));
    await expect(asked).rejects.toThrow(/has \d+ tokens, and the model reads 96 at most/);
    await expect(asked).rejects.toSatisfy((error) => isRolloutError(error) && error.isOverflow);
  });

  test("ends its rollout at the context, truncated and scored", async () => {
    const { backend } = await watched((requests, real) => real(requests));
    const endless = defineEnvironment({
      name: "endless",
      description: "Talk.",
      dataset: () => [{ prompt: "4" }],
      respond: () => "Go on: 4 | 5 | X | O | 7 | 8",
      rubric: { turns: ({ completion }) => completion.length },
    });
    for await (const rollout of rollouts(endless(), {
      model: backendModel(backend),
      sampling: { maxTokens: 5 },
      maxTurns: 100,
      seed: 1,
    })) {
      expect(rollout).toMatchObject({ status: "scored", stopReason: "context", isTruncated: true });
      for (const { tokens } of rollout.trajectory)
        expect(tokens!.promptIds.length + tokens!.completionIds.length).toBeLessThanOrEqual(96);
    }
  });
});

describe("an aborted request", () => {
  /** A backend that samples when told to. */
  async function held() {
    const gate = Promise.withResolvers<void>();
    const { backend, batches } = await watched(async (requests, real) => {
      await gate.promise;
      return real(requests);
    });
    return { model: backendModel(backend), batches, open: gate.resolve };
  }

  test("fails with its reason, and leaves the others alone", async () => {
    const { model, open } = await held();
    const controller = new AbortController();
    const aborted = model(ask([user("4")], { signal: controller.signal }));
    const other = model(ask([user("5")]));
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    open();
    expect((await other).message.role).toBe("assistant");
    expect((await model(ask([user("6")]))).message.role).toBe("assistant");
  });

  test("is not sampled, if it is aborted before its batch", async () => {
    const { model, batches, open } = await held();
    open();
    const controller = new AbortController();
    const aborted = model(ask([user("4")], { signal: controller.signal, seed: 1 }));
    const other = model(ask([user("4")], { seed: 2 }));
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await other;
    expect(batches.flat().map(({ seed }) => seed)).toEqual([2]);
  });

  test("that is aborted from the start fails at once", async () => {
    const { model, batches } = await held();
    await expect(model(ask([user("4")], { signal: AbortSignal.abort() }))).rejects.toThrow(/abort/);
    expect(batches).toEqual([]);
  });

  test("leaves nothing on a signal that outlives it", async () => {
    const { model, open } = await held();
    open();
    const { signal } = new AbortController();
    let listening = 0;
    const [add, remove] = [
      signal.addEventListener.bind(signal),
      signal.removeEventListener.bind(signal),
    ];
    signal.addEventListener = (...parameters: Parameters<typeof add>) => {
      listening += 1;
      add(...parameters);
    };
    signal.removeEventListener = (...parameters: Parameters<typeof remove>) => {
      listening -= 1;
      remove(...parameters);
    };
    await Promise.all([1, 2, 3].map((seed) => model(ask([user("4")], { signal, seed }))));
    expect(listening).toBe(0);
  });
});

describe("a backend that fails", () => {
  test("fails every request of the batch, and the next batch is tried", async () => {
    let times = 0;
    const { backend } = await watched(async (requests, real): Promise<readonly Completion[]> => {
      times += 1;
      if (times === 1) throw new Error("out of memory");
      return real(requests);
    });
    const model: Model = backendModel(backend);
    const asked = await Promise.allSettled(
      [1, 2, 3].map((seed) => model(ask([user("4")], { seed }))),
    );
    for (const each of asked)
      expect(each).toMatchObject({ status: "rejected", reason: { message: "out of memory" } });
    expect((await model(ask([user("4")]))).message.role).toBe("assistant");
  });

  test("fails rollouts, never the run", async () => {
    const { backend } = await watched(() => Promise.reject(new Error("out of memory")));
    const failed = [];
    for await (const rollout of rollouts(chat(), {
      model: backendModel(backend),
      examples: 3,
      seed: 1,
    }))
      failed.push(rollout);
    expect(failed).toHaveLength(9);
    for (const rollout of failed)
      expect(rollout).toMatchObject({ status: "failed", error: { code: "model" } });
  });
});
