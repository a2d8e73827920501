import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  assistantMessage,
  defineEnvironment,
  evaluate,
  type Model,
  type ModelRequest,
  policy,
  userMessage,
} from "@envs/core";
import { describe, expect, onTestFinished, test } from "vitest";

import { openCassette } from "../src/cassettes/cassette-file.ts";
import { cassette } from "../src/cassettes/cassette.ts";
import { normaliseDates, normaliseIds, normalisePaths } from "../src/cassettes/normalise.ts";
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

describe("dates, ids and paths", () => {
  const of = (day: string, id: string, folder: string) =>
    `Today is ${day}, run ${id}, in ${folder}/src.`;
  const before = of("2026-11-27", "6f1c7c5e-0b7e-4d3c-9d53-0f6c6ad1a001", "/home/ada/shop");
  const after = of("2026-12-01", "0b7e4d3c-6f1c-4c5e-9d53-0f6c6ad1a002", "/runner/work/shop");

  test("may differ from those of the recording of the same rollout", async () => {
    const tape = cassette({ mode: "auto" });
    const first = await tape.wrap(countingModel().model)(ask(before));
    const { model, calls } = countingModel();
    const recordings = tape.recordings();
    expect(await cassette({ mode: "replay", recordings }).wrap(model)(ask(after))).toEqual(first);
    expect(calls()).toBe(0);
    // A message names what normalising leaves.
    await expect(
      cassette({ mode: "replay", recordings }).wrap(model)(ask(`${after} Now.`)),
    ).rejects.toThrow('recorded …"<id>, in <path>/src.", now …"<id>, in <path>/src. Now."');
    const strict = cassette({ mode: "replay", recordings, normalise: [] });
    await expect(strict.wrap(model)(ask(after))).rejects.toThrow("changed: recorded");
    const own = (text: string): string => text.replace(/ in .*/u, "");
    const other = ask(after).messages[0]!.content as string;
    const normalise = [normaliseDates, normaliseIds, own];
    const configured = cassette({ mode: "replay", recordings, normalise }).wrap(model);
    expect(await configured(ask(`${other} Elsewhere.`))).toEqual(first);
  });

  test("keep other rollouts and questions apart that differ in them", async () => {
    const tape = cassette({ mode: "auto" });
    const session = "other/0";
    await tape.wrap(countingModel().model)(ask(before));
    await tape.wrap(countingModel().model)({ ...ask(before), session: undefined });
    const replay = cassette({ mode: "replay", recordings: tape.recordings() });
    const wrapped = replay.wrap(countingModel().model);
    await expect(wrapped({ ...ask(after), session })).rejects.toThrow("changed: recorded");
    await expect(wrapped({ ...ask(after), session: undefined })).rejects.toThrow("changed");
  });

  test.each([
    [normaliseDates, "2026-11-27T09:05:01.250Z", "<date>"],
    [normaliseDates, "On Friday, November 27, 2026 at 9:05 AM", "On <date>"],
    [normaliseDates, "Wall time: 0.0095 seconds, 12ms", "Wall time: <date>, <date>"],
    [normaliseDates, "27 Nov 2026, 11/27/2026, 1795770301250", "<date>, <date>, <date>"],
    [
      normaliseDates,
      "A ratio of 3:2 for $1234567890123456",
      "A ratio of 3:2 for $1234567890123456",
    ],
    [
      normaliseIds,
      "call_9fK2mZ0aQ1bX7cD4 http://127.0.0.1:41233/x",
      "<id> http://127.0.0.1:<id>/x",
    ],
    [normaliseIds, "sha 0f6c6ad1a0010f6c and defaced", "sha <id> and defaced"],
    [normalisePaths, "cd /home/ada/shop && ls C:\\work\\a.ts", "cd <path>/shop && ls <path>/a.ts"],
    [
      normalisePaths,
      "<path>/tmp/envs-agent-3f0cf3715412b741-2/workspace</path>",
      "<path><path>/workspace</path>",
    ],
    [
      normalisePaths,
      "https://example.com/a/b and src/a.ts, 1/2/3",
      "https://example.com/a/b and src/a.ts, 1/2/3",
    ],
  ])("%o turns %s into %s", (normalise, text, expected) => {
    expect(normalise(text)).toBe(expected);
  });
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
      "The tool count is new. The sampling's temperature changed from 0 to none.",
    );
  });

  test("reports a changed description or parameter of a tool", async () => {
    const tape = cassette({ mode: "auto" });
    const look = { name: "look", description: "Looks around", parameters: { type: "object" } };
    await tape.wrap(countingModel().model)({ ...ask("a"), tools: [look] });
    const wrapped = cassette({ mode: "replay", recordings: tape.recordings() }).wrap(
      countingModel().model,
    );
    const parameters = { type: "object", required: ["room"] };
    const tools = [{ ...look, description: "Looks back", parameters }];
    await expect(wrapped({ ...ask("a"), tools })).rejects.toThrow(
      'The tool look\'s description changed from "Looks around" to "Looks back". The tool look\'s parameters.required changed from none to ["room"].',
    );
  });

  test("reports a changed effort or model of an agent's call, and other settings of the model", async () => {
    const call = (fields: Readonly<Record<string, unknown>>): ModelRequest => ({
      ...ask("a"),
      relay: {
        dialect: "responses",
        isComplete: true,
        isStream: false,
        fields: undefined,
        body: { model: "gpt-5", input: "a", reasoning: { effort: "low" }, ...fields },
        read: ask("a"),
        write: () => undefined,
      },
    });
    const served = (settings: Model["settings"]): Model =>
      Object.assign(countingModel().model, { settings });
    const tape = cassette({ mode: "auto" });
    await tape.wrap(served({ effort: 1 }))(call({}));
    const replay = cassette({ mode: "replay", recordings: tape.recordings() });
    const wrapped = replay.wrap(served({ effort: 1 }));
    // The gateway draws the ids of replies.
    expect(await wrapped(call({ previous_response_id: "resp_7" }))).toBeDefined();
    await expect(wrapped(call({ reasoning: { effort: "high" } }))).rejects.toThrow(
      'The agent\'s reasoning.effort changed from "low" to "high".',
    );
    await expect(wrapped(call({ model: "gpt-5-mini" }))).rejects.toThrow(
      'The agent\'s model changed from "gpt-5" to "gpt-5-mini".',
    );
    await expect(replay.wrap(served({ effort: 2 }))(call({}))).rejects.toThrow(
      "The model's effort changed from 1 to 2.",
    );
  });

  test("notices changed code of a function, also in a module that the function calls into", async () => {
    const folder = await mkdtemp(join(tmpdir(), "model-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const load = async (name: string, reply: string): Promise<Model> => {
      const file = join(folder, name);
      await writeFile(
        file,
        `const text = () => "${reply}";
export const model = async () => ({ message: { role: "assistant", content: text() }, finish: "stop" });`,
      );
      return ((await import(/* @vite-ignore */ file)) as { readonly model: Model }).model;
    };
    const tape = cassette({ mode: "auto" });
    await tape.wrap(await load("a.mjs", "one"))(ask("a"));
    const replay = cassette({ mode: "replay", recordings: tape.recordings() });
    expect(await replay.wrap(await load("b.mjs", "one"))(ask("a"))).toBeDefined();
    await expect(replay.wrap(await load("c.mjs", "two"))(ask("a"))).rejects.toThrow(
      "The model's code changed.",
    );
  });

  test("reads only the text of a function in the test file", async () => {
    const one: Model = async () => ({ message: assistantMessage("1"), finish: "stop" });
    const two: Model = async () => ({ message: assistantMessage("2"), finish: "stop" });
    const same: Model = async () => ({ message: assistantMessage("1"), finish: "stop" });
    const testFile = import.meta.filename;
    const tape = cassette({ mode: "auto", testFile });
    await tape.wrap(one)(ask("a"));
    const replay = cassette({ mode: "replay", recordings: tape.recordings(), testFile });
    expect(await replay.wrap(same)(ask("a"))).toBeDefined();
    await expect(replay.wrap(two)(ask("a"))).rejects.toThrow("The model's code changed.");
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
  const path = async (name = "folder/replies.jsonl"): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), "cassette-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    return join(folder, name);
  };

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
    const file = await path("moved.jsonl");
    const response = { message: assistantMessage("ok"), finish: "stop" };
    const line = { model: "x", trial: 0, request: { previous: 2, messages: [] }, response };
    await writeFile(file, `${JSON.stringify(line)}\n`);
    await expect(openCassette(file, { mode: "replay" })).rejects.toThrow(
      "does not fit the line before it",
    );
  });

  test("fails with the line that is not a recording", async () => {
    const file = await path("broken.jsonl");
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
