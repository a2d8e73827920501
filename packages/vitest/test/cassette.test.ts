import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  assistantMessage,
  defineEnvironment,
  evaluate,
  type Model,
  policy,
  userMessage,
} from "@envs/core";
import { describe, expect, test } from "vitest";

import { openCassette } from "../src/cassettes/cassette-file.ts";
import { cassette } from "../src/cassettes/cassette.ts";
import type { Recording } from "../src/cassettes/recording.ts";

/** Counts its calls, and replies differently in each. */
function countingModel(): { readonly model: Model; readonly calls: () => number } {
  let calls = 0;
  const reply: Model = async () => {
    calls += 1;
    const usage = { inputTokens: 3, outputTokens: 1 };
    const tokens = { promptIds: [1], completionIds: [2], completionLogprobs: [-1] };
    return { message: assistantMessage(`reply ${calls}`), finish: "stop", usage, tokens };
  };
  return { model: Object.assign(reply, { id: "counting" }), calls: () => calls };
}

const { signal } = new AbortController();
const ask = (text: string, trial = 0) => ({
  messages: [userMessage(text)],
  session: `key/${trial}`,
  signal,
});

const questions = (names: readonly string[]) =>
  defineEnvironment({
    name: "questions",
    dataset: () => names.map((prompt) => ({ prompt })),
    respond: ({ turns }) => (turns < 2 ? "Go on." : []),
    episode: { maxTurns: 2 },
    rubric: { any: () => 1 },
  })();

describe("auto", () => {
  test("calls the model once for each request and trial", async () => {
    const { model, calls } = countingModel();
    const tape = cassette({ mode: "auto" });
    const wrapped = tape.wrap(model);
    const first = await wrapped(ask("a"));
    expect(await wrapped(ask("a"))).toEqual(first);
    expect(await wrapped(ask("a", 1))).not.toEqual(first);
    expect(calls()).toBe(2);
    expect(tape.counts()).toEqual({ replayed: 1, recorded: 2, unused: 0 });
  });

  test("keeps everything of a reply but its tokens", async () => {
    const wrapped = cassette({ mode: "auto" }).wrap(countingModel().model);
    expect(await wrapped(ask("a"))).toEqual({
      message: assistantMessage("reply 1"),
      finish: "stop",
      usage: { inputTokens: 3, outputTokens: 1 },
    });
  });

  test("does not record an error", async () => {
    const tape = cassette({ mode: "auto" });
    const failing = tape.wrap(async () => {
      throw new Error("busy");
    });
    await expect(failing(ask("a"))).rejects.toThrow("busy");
    expect(tape.recordings()).toEqual([]);
  });
});

describe("the seed of a request", () => {
  test("distinguishes requests that are otherwise equal", async () => {
    const { model, calls } = countingModel();
    const tape = cassette({ mode: "auto" });
    const wrapped = tape.wrap(model);
    const first = await wrapped({ ...ask("a"), seed: 1 });
    const second = await wrapped({ ...ask("a"), seed: 2 });
    expect(second).not.toEqual(first);
    const replay = cassette({ mode: "replay", recordings: tape.recordings() }).wrap(model);
    expect(await replay({ ...ask("a"), seed: 2 })).toEqual(second);
    expect(await replay({ ...ask("a"), seed: 1 })).toEqual(first);
    expect(calls()).toBe(2);
  });

  test.each(["replay", "auto"] as const)(
    "may differ from the recorded one in the mode %s, so that older files stay valid",
    async (mode) => {
      const { model, calls } = countingModel();
      const before = cassette({ mode: "auto" });
      const recorded = await before.wrap(model)(ask("a"));
      const after = cassette({ mode, recordings: before.recordings() });
      expect(await after.wrap(model)({ ...ask("a"), seed: 7 })).toEqual(recorded);
      expect(calls()).toBe(1);
      expect(after.counts()).toEqual({ replayed: 1, recorded: 0, unused: 0 });
    },
  );
});

describe("models that are not recorded", () => {
  test("policies are returned as they are", () => {
    const best = policy("best");
    expect(cassette({ mode: "replay" }).wrap(best)).toBe(best);
  });

  test("an agent wraps the model that answers its calls", async () => {
    const { model } = countingModel();
    const agentOf = (inner: Model): Model =>
      Object.assign(async (request: Parameters<Model>[0]) => await inner(request), {
        id: "agent",
        wrapModel: (wrap: (model: Model) => Model) => agentOf(wrap(inner)),
      });
    const tape = cassette({ mode: "auto" });
    await tape.wrap(agentOf(model))(ask("a"));
    expect(tape.recordings().map((recording) => recording.model)).toEqual(["counting"]);
  });
});

describe("record", () => {
  test("replaces the recording of a request", async () => {
    const { model } = countingModel();
    const before = cassette({ mode: "auto" });
    await before.wrap(model)(ask("a"));
    const after = cassette({ mode: "record", recordings: before.recordings() });
    await after.wrap(model)(ask("a"));
    expect(after.recordings().map(({ response }) => response.message.content)).toEqual(["reply 2"]);
  });
});

describe("replay", () => {
  const recordings = async (): Promise<readonly Recording[]> => {
    const tape = cassette({ mode: "auto" });
    const wrapped = tape.wrap(countingModel().model);
    await wrapped({ ...ask("How many legs has a spider?"), sampling: { temperature: 0 } });
    return tape.recordings();
  };
  const replayed = async (model: Model = countingModel().model): Promise<Model> =>
    cassette({ mode: "replay", recordings: await recordings() }).wrap(model);

  test("needs neither the model nor its API key", async () => {
    const check = (): void => {
      throw new Error("no API key");
    };
    const model = Object.assign(countingModel().model, { check });
    const wrapped = await replayed(model);
    expect(wrapped.check).toBeUndefined();
    expect(wrapped.id).toBe("counting");
  });

  test("reports which part of a message changed", async () => {
    const wrapped = await replayed();
    const request = { ...ask("How many legs has a beetle?"), sampling: { temperature: 0 } };
    await expect(wrapped(request)).rejects.toMatchObject({
      code: "model",
      isFatal: true,
      message: expect.stringContaining(
        'message 0 (user) changed: recorded "How many legs has a spider?", now "How many legs has a beetle?".',
      ) as string,
    });
  });

  test("reports changed sampling and tools", async () => {
    const wrapped = await replayed();
    const tool = { name: "count", description: "Count legs", parameters: {} };
    const request = { ...ask("How many legs has a spider?"), tools: [tool] };
    await expect(wrapped(request)).rejects.toThrow(
      'Tools: added count. Sampling: recorded {"temperature":0}, now none.',
    );
  });

  test("reports for which trials a request is recorded", async () => {
    const request = { ...ask("How many legs has a spider?", 4), sampling: { temperature: 0 } };
    const wrapped = await replayed();
    await expect(wrapped(request)).rejects.toThrow("The same request is recorded for trial 0.");
  });

  test("reports the models that are recorded", async () => {
    const other = Object.assign(async () => Promise.reject(new Error("called")), { id: "other" });
    const wrapped = await replayed(other as Model);
    await expect(wrapped(ask("a"))).rejects.toThrow("of counting, not of other");
  });
});

describe("a file", () => {
  const path = async (): Promise<string> =>
    join(await mkdtemp(join(tmpdir(), "cassette-")), "folder", "replies.jsonl");

  test("replays an evaluation without calls, whatever the concurrency", async () => {
    const file = await path();
    const { model, calls } = countingModel();
    const environment = questions(["one", "two", "three"]);
    const recording = await openCassette(file, { mode: "auto" });
    const options = { examples: 3, rolloutsPerExample: 2 };
    const first = await evaluate(environment, { ...options, model: recording.wrap(model) });
    await recording.save();
    expect(calls()).toBe(12);

    const replay = await openCassette(file, { mode: "replay" });
    const again = await evaluate(environment, {
      ...options,
      model: replay.wrap(model),
      concurrency: 1,
    });
    expect(calls()).toBe(12);
    const replies = ({ rollouts }: typeof first) => rollouts.map(({ completion }) => completion);
    expect(replies(again)).toEqual(replies(first));
    expect(replay.counts()).toEqual({ replayed: 12, recorded: 0, unused: 0 });
  });

  test("has the same bytes for the same calls in another order", async () => {
    const echo: Model = async ({ messages }) => ({
      message: assistantMessage(messages[0]!.content as string),
      finish: "stop",
    });
    const write = async (texts: readonly string[]): Promise<string> => {
      const file = await openCassette(await path(), { mode: "auto" });
      const wrapped = file.wrap(echo);
      for (const text of texts) await wrapped(ask(text));
      await file.save();
      return await readFile(file.path, "utf8");
    };
    expect(await write(["a", "b", "c"])).toBe(await write(["c", "a", "b"]));
  });

  test("has each message and the tools once, and reads lines that repeat them", async () => {
    const echo: Model = async () => ({ message: assistantMessage("ok"), finish: "stop" });
    const file = await openCassette(await path(), { mode: "auto" });
    const wrapped = file.wrap(echo);
    const tools = [{ name: "count", description: "Counts things", parameters: {} }];
    const first = [userMessage("one long question")];
    const second = [...first, assistantMessage("ok"), userMessage("and another")];
    for (const messages of [first, second]) await wrapped({ ...ask(""), messages, tools });
    await file.save();
    const text = await readFile(file.path, "utf8");
    for (const once of ["one long question", "and another", "Counts things"])
      expect(text.split(once)).toHaveLength(2);

    const repeated = file.recordings().map((recording) => `${JSON.stringify(recording)}\n`);
    await writeFile(`${file.path}.old`, repeated.join(""));
    for (const version of [file.path, `${file.path}.old`]) {
      const opened = await openCassette(version, { mode: "replay" });
      expect(opened.recordings()).toEqual(file.recordings());
    }
  });

  test("fails with a line that refers to more than the line before has", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "cassette-")), "moved.jsonl");
    const response = { message: assistantMessage("ok"), finish: "stop" };
    const line = { model: "x", trial: 0, request: { previous: 2, messages: [] }, response };
    await writeFile(file, `${JSON.stringify(line)}\n`);
    await expect(openCassette(file, { mode: "replay" })).rejects.toThrow(
      "does not fit the line before it",
    );
  });

  test("fails with the line that is not a recording", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "cassette-")), "broken.jsonl");
    await writeFile(file, '{"model":"x"}\n');
    await expect(openCassette(file, { mode: "replay" })).rejects.toThrow(/Line 1 of .*broken/);
  });

  test("names the remedy when nothing is recorded", async () => {
    const file = await openCassette(await path(), { mode: "replay", remedy: "record it" });
    const wrapped = file.wrap(countingModel().model);
    await expect(wrapped(ask("a"))).rejects.toThrow(
      /\(to record: record it\).*It contains no recordings/,
    );
  });
});
