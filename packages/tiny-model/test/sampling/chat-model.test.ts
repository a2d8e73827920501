import {
  assistantMessage,
  defineEnvironment,
  type Message,
  type Model,
  type ModelRequest,
  rollouts,
  userMessage,
} from "@envs/core";
import { isRolloutError } from "@envs/core/engine";
import { describe, expect, test } from "vitest";

import { chatModel } from "../../src/sampling/chat-model.ts";
import type { Completion, Sampler, SampleRequest } from "../../src/sampling/sampler.ts";
import { smallCheckpoint } from "../small-model.ts";
import { startSmall } from "../start-small.ts";

const never = new AbortController().signal;

function ask(messages: readonly Message[], options: Partial<ModelRequest> = {}): ModelRequest {
  return { messages, signal: never, seed: 3, sampling: { maxTokens: 9 }, ...options };
}

/** A sampler that records its batches and replaces the sampling of a tiny model. */
async function recorded(
  sample: (
    requests: readonly SampleRequest[],
    real: Sampler["sample"],
  ) => ReturnType<Sampler["sample"]> = (requests, real) => real(requests),
): Promise<{ sampler: Sampler; batches: (readonly SampleRequest[])[] }> {
  const real = await startSmall({}, smallCheckpoint(96));
  const batches: (readonly SampleRequest[])[] = [];
  const sampler: Sampler = {
    id: real.id,
    renderer: real.renderer,
    contextLength: real.contextLength,
    sample: (requests) => {
      batches.push(requests);
      return sample(requests, (batch) => real.sample(batch));
    },
  };
  return { sampler, batches };
}

/** An environment that answers every message. */
const chat = defineEnvironment({
  name: "chat",
  // prose-ignore: sample text
  description: "Say anything.",
  *dataset() {
    for (let at = 0; at < 5; at += 1) yield { prompt: `Game ${at}: X` };
  },
  respond: ({ reply }) => `You said ${reply.length} letters.`,
  episode: { maxTurns: 4 },
  rubric: { length: ({ completion }) => completion.length },
});

describe("a conversation", () => {
  test("keeps the sampled tokens of earlier turns", async () => {
    const { sampler } = await recorded();
    const model = chatModel(sampler);
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
        const before = [...traces[turn]!.promptIds, ...traces[turn]!.completionIds];
        expect(promptIds.slice(0, before.length)).toEqual(before);
      }
    }
    expect(played).toBe(10);
  });

  test("ends each reply with the stop token, also after a truncated reply", async () => {
    const { sampler } = await recorded();
    const model = chatModel(sampler);
    const [end] = sampler.renderer.stopIds;
    const finishes = new Set<string>();
    for (let seed = 0; seed < 40; seed += 1) {
      const opening = [{ role: "system", content: "You play X." } as const, userMessage("4")];
      const first = await model(ask(opening, { seed }));
      finishes.add(first.finish);
      const second = await model(ask([...opening, first.message, userMessage("5")], { seed }));
      const before = [...first.tokens!.promptIds, ...first.tokens!.completionIds];
      const added = second.tokens!.promptIds.slice(before.length);
      const question = [...sampler.renderer.bridge([userMessage("5")], true)];
      expect(added).toEqual(first.finish === "stop" ? question : [end, ...question]);
    }
    expect(finishes).toEqual(new Set(["stop", "length"]));
  });

  test("with foreign replies is rendered from its messages", async () => {
    const { sampler } = await recorded();
    const model = chatModel(sampler);
    const messages = [userMessage("4"), assistantMessage("X"), userMessage("5")];
    const { tokens } = await model(ask(messages));
    expect(tokens!.promptIds).toEqual(sampler.renderer.prompt(messages));
  });

  test("can continue one reply in several ways at the same time", async () => {
    const { sampler } = await recorded();
    const model = chatModel(sampler);
    const first = await model(ask([userMessage("4")]));
    const branches = ["5", "6", "You win."].map((text) => [
      userMessage("4"),
      first.message,
      userMessage(text),
    ]);
    const together = await Promise.all(branches.map((messages) => model(ask(messages))));
    for (const [at, messages] of branches.entries())
      expect(await model(ask(messages))).toEqual(together[at]);
  });
});

describe("a reply", () => {
  test("has text, tokens, log-probabilities and usage that agree", async () => {
    const { sampler } = await recorded();
    const { message, tokens, usage, finish } = await chatModel(sampler)(ask([userMessage("4")]));
    expect(message).toEqual(assistantMessage(sampler.renderer.text(tokens!.completionIds)));
    expect(tokens!.completionLogprobs).toHaveLength(tokens!.completionIds.length);
    expect(usage).toEqual({
      inputTokens: tokens!.promptIds.length,
      outputTokens: tokens!.completionIds.length,
    });
    expect(["stop", "length"]).toContain(finish);
  });

  test("ends before a stop text, its tokens after it, and the next turn continues the tokens", async () => {
    const { sampler } = await recorded();
    const model = chatModel(sampler);
    let stopped = 0;
    for (let seed = 0; seed < 20; seed += 1) {
      const sampling = { maxTokens: 20 };
      const whole = await model(ask([userMessage("4")], { seed, sampling }));
      const { content } = whole.message;
      if (content.length < 4) continue;
      const stop = [content.slice(2, 4), "never sampled"];
      const cut = await model(ask([userMessage("4")], { seed, sampling: { ...sampling, stop } }));
      stopped += 1;
      expect(cut.finish).toBe("stop");
      expect(cut.message.content).toBe(content.slice(0, content.indexOf(stop[0]!)));
      const { completionIds, completionLogprobs, promptIds } = cut.tokens!;
      const count = completionIds.length;
      expect(cut.usage!.outputTokens).toBe(count);
      expect(completionIds).toEqual(whole.tokens!.completionIds.slice(0, count));
      expect(completionLogprobs).toEqual(whole.tokens!.completionLogprobs.slice(0, count));
      expect(sampler.renderer.text(completionIds)).toContain(stop[0]);
      expect(sampler.renderer.text(completionIds.slice(0, -1))).not.toContain(stop[0]);

      const next = await model(ask([userMessage("4"), cut.message, userMessage("5")], { seed }));
      const before = [...promptIds, ...completionIds];
      expect(next.tokens!.promptIds.slice(0, before.length)).toEqual(before);
    }
    expect(stopped).toBeGreaterThan(5);
  });

  test("uses the settings of the request first, then the options of the model", async () => {
    const { sampler, batches } = await recorded();
    const model = chatModel(sampler, { temperature: 0.5, topP: 0.9, maxTokens: 4 });
    await model({ messages: [userMessage("4")], signal: never, seed: 8 });
    await model(ask([userMessage("4")], { sampling: { temperature: 0, topP: 0.8, maxTokens: 2 } }));
    const plain = chatModel(sampler);
    await plain({ messages: [userMessage("4")], signal: never });
    const room = 96 - sampler.renderer.prompt([userMessage("4")]).length;
    expect(batches.flat()).toMatchObject([
      { temperature: 0.5, topP: 0.9, maxTokens: 4, seed: 8 },
      { temperature: 0, topP: 0.8, maxTokens: 2, seed: 3 },
      { temperature: 1, topP: 1, maxTokens: room },
    ]);
  });

  test("differs per call without a seed, and is reproducible across models", async () => {
    const contents: string[][] = [];
    for (let time = 0; time < 2; time += 1) {
      const model = chatModel((await recorded()).sampler);
      const replies = await Promise.all(
        Array.from({ length: 6 }, () => model({ messages: [userMessage("4")], signal: never })),
      );
      contents.push(replies.map(({ message }) => message.content));
    }
    expect(new Set(contents[0]).size).toBeGreaterThan(1);
    expect(contents[1]).toEqual(contents[0]);
  });
});

describe("concurrent requests", () => {
  test("are sampled in two halves if there are many, and one half continues while the other is sampled", async () => {
    const open = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    let calls = 0;
    const { sampler, batches } = await recorded(async (requests, real) => {
      const gate = open[calls++]!;
      await gate.promise;
      return real(requests);
    });
    const model = chatModel(sampler);
    const replies = Array.from({ length: 130 }, (_, seed) =>
      model(ask([userMessage(`Game ${seed}`)], { seed, sampling: { maxTokens: 1 } })),
    );
    open[0]!.resolve();
    await Promise.all(replies.slice(0, 65));
    expect(batches.map(({ length }) => length)).toEqual([65, 65]);
    const late = model(ask([userMessage("late")], { seed: 130, sampling: { maxTokens: 1 } }));
    open[1]!.resolve();
    open[2]!.resolve();
    await Promise.all([...replies, late]);
    expect(batches.map((batch) => batch.map(({ seed }) => seed))).toEqual([
      Array.from({ length: 65 }, (_, at) => at),
      Array.from({ length: 65 }, (_, at) => 65 + at),
      [130],
    ]);
  });

  test("are sampled in one batch; later requests wait for the next batch", async () => {
    const { sampler, batches } = await recorded();
    const model = chatModel(sampler);
    const early = [1, 2, 3].map((seed) => model(ask([userMessage("4")], { seed })));
    const late = early[0]!.then(() =>
      Promise.all([4, 5].map((seed) => model(ask([userMessage("4")], { seed })))),
    );
    await Promise.all([...early, late]);
    expect(batches.map((batch) => batch.map(({ seed }) => seed))).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });
});

describe("a conversation beyond the context", () => {
  test("is rejected as an overflow", async () => {
    const { sampler } = await recorded();
    const asked = chatModel(sampler)(ask([userMessage("4 | 5 | X ".repeat(60))]));
    await expect(asked).rejects.toThrow(/has \d+ tokens, but the model's context is 96 tokens/);
    await expect(asked).rejects.toSatisfy((error) => isRolloutError(error) && error.isOverflow);
  });

  test("ends its rollout with the stop reason context, truncated and scored", async () => {
    const { sampler } = await recorded();
    const endless = defineEnvironment({
      name: "endless",
      description: "Talk.",
      dataset: () => [{ prompt: "4" }],
      respond: () => "Go on: 4 | 5 | X | O | 7 | 8",
      rubric: { length: ({ completion }) => completion.length },
    });
    for await (const rollout of rollouts(endless(), {
      model: chatModel(sampler),
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
  /** A sampler that waits for `open`. */
  async function gated() {
    const gate = Promise.withResolvers<void>();
    const { sampler, batches } = await recorded(async (requests, real) => {
      await gate.promise;
      return real(requests);
    });
    return { model: chatModel(sampler), batches, open: gate.resolve };
  }

  test("rejects with its reason, and does not affect the others", async () => {
    const { model, open } = await gated();
    const controller = new AbortController();
    const aborted = model(ask([userMessage("4")], { signal: controller.signal }));
    const other = model(ask([userMessage("5")]));
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    open();
    expect((await other).message.role).toBe("assistant");
    expect((await model(ask([userMessage("6")]))).message.role).toBe("assistant");
  });

  test("is not sampled if it is aborted before its batch", async () => {
    const { model, batches, open } = await gated();
    open();
    const controller = new AbortController();
    const aborted = model(ask([userMessage("4")], { signal: controller.signal, seed: 1 }));
    const other = model(ask([userMessage("4")], { seed: 2 }));
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await other;
    expect(batches.flat().map(({ seed }) => seed)).toEqual([2]);
  });

  test("that was aborted before the call rejects at once", async () => {
    const { model, batches } = await gated();
    await expect(model(ask([userMessage("4")], { signal: AbortSignal.abort() }))).rejects.toThrow(
      /abort/,
    );
    expect(batches).toEqual([]);
  });

  test("removes its listener from the signal", async () => {
    const { model, open } = await gated();
    open();
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [
      signal.addEventListener.bind(signal),
      signal.removeEventListener.bind(signal),
    ];
    signal.addEventListener = (...parameters: Parameters<typeof add>) => {
      listeners += 1;
      add(...parameters);
    };
    signal.removeEventListener = (...parameters: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...parameters);
    };
    await Promise.all([1, 2, 3].map((seed) => model(ask([userMessage("4")], { signal, seed }))));
    expect(listeners).toBe(0);
  });
});

describe("a failing sampler", () => {
  test("rejects every request of the batch, but not the next batch", async () => {
    let times = 0;
    const { sampler } = await recorded(async (requests, real): Promise<readonly Completion[]> => {
      times += 1;
      if (times === 1) throw new Error("out of memory");
      return real(requests);
    });
    const model: Model = chatModel(sampler);
    const asked = await Promise.allSettled(
      [1, 2, 3].map((seed) => model(ask([userMessage("4")], { seed }))),
    );
    for (const result of asked)
      expect(result).toMatchObject({ status: "rejected", reason: { message: "out of memory" } });
    expect((await model(ask([userMessage("4")]))).message.role).toBe("assistant");
  });

  test("fails rollouts, but not the run", async () => {
    const { sampler } = await recorded(() => Promise.reject(new Error("out of memory")));
    const failed = [];
    for await (const rollout of rollouts(chat(), {
      model: chatModel(sampler),
      examples: 3,
      seed: 1,
    }))
      failed.push(rollout);
    expect(failed).toHaveLength(9);
    for (const rollout of failed)
      expect(rollout).toMatchObject({ status: "failed", error: { code: "model" } });
  });
});
