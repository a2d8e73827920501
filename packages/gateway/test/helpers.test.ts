import { defineEnvironment, evaluate, type Model, type Rollout, rollout } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { agent, gemini, messages, startGateway } from "@envs/gateway";
import { openai } from "@envs/models";
import { messageGraph, parseRow, readRecord, type ReadRollout, toRow } from "@envs/records";
import { expect, onTestFinished, test } from "vitest";

import { rescoreGroup } from "../../cli/src/rescore/rescore-group.ts";
import { viewRollout } from "../../viewer/src/record/view-rollout.ts";
import { upstream } from "./support/upstream.ts";

const question = defineEnvironment({
  name: "question",
  dataset: () => [{ prompt: "Name a colour." }],
  rubric: { red: ({ completion }) => completion[0]?.content === "red" },
});

/** The fields of replies in any dialect that the tests read. */
interface ReplyBody {
  readonly choices: readonly [{ readonly message: { readonly content: string } }];
  readonly content: readonly [{ readonly text: string }];
  readonly error: { readonly message: string };
}

async function post(url: string, body: object) {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as ReplyBody };
}

const ask = { messages: [{ role: "user", content: "Which?" }], max_tokens: 9, temperature: 0.5 };

/** The server of a planner, with chat completions, and that of a worker, with Anthropic's Messages. */
async function servers() {
  const planner = await upstream((response) =>
    response.end(
      JSON.stringify({
        id: "plan-1",
        model: "big-2026",
        choices: [{ message: { content: "red" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 100, completion_tokens: 10 },
      }),
    ),
  );
  const worker = await upstream((response) =>
    response.end(
      JSON.stringify({
        id: "work-1",
        model: "small-2026",
        content: [{ type: "text", text: "a warm one" }],
        stop_reason: "end_turn",
        usage: { input_tokens: 7, output_tokens: 3 },
      }),
    ),
  );
  return {
    planner,
    worker,
    big: openai("big", { baseURL: `${planner.origin}/v1` }),
    small: messages("small", { baseURL: worker.origin, apiKey: "key" }),
  };
}

/** An agent whose worker answers before its planner, each in its own dialect. */
async function twoModels() {
  const { big, small, ...upstreams } = await servers();
  const player = agent(
    async ({ baseURL, origin, model }) => {
      const advice = await post(`${origin}/v1/messages`, { ...ask, model: "worker" });
      const content = `Advice: ${advice.body.content[0].text}`;
      const plan = await post(`${baseURL}/chat/completions`, {
        ...ask,
        model,
        messages: [{ role: "user", content }],
      });
      return plan.body.choices[0].message.content;
    },
    { model: big, modelName: "planner", helpers: { worker: small } },
  );
  return { player, ...upstreams };
}

test("asks each model by its name, and records each call as its own", async () => {
  const { player, planner, worker } = await twoModels();
  const { rollouts, usage, subModelUsage } = await evaluate(question(), {
    model: player,
    sampling: { temperature: 0 },
    examples: 1,
    rolloutsPerExample: 1,
  });
  expect(player.id).toBe("agent with big, worker=small");
  expect(planner.bodies).toMatchObject([{ model: "big", temperature: 0 }]);
  // The run's sampling is for the model that plays.
  expect(worker.bodies).toMatchObject([{ model: "small", temperature: 0.5 }]);
  const [turn] = rollouts[0]!.trajectory;
  expect(turn!.calls).toMatchObject([
    {
      dialect: "messages",
      requestedModel: "worker",
      isHelper: true,
      server: { model: "small-2026", responseId: "work-1" },
      usage: { inputTokens: 7, outputTokens: 3 },
    },
    {
      dialect: "chat",
      requestedModel: "planner",
      server: { model: "big-2026", responseId: "plan-1" },
      usage: { inputTokens: 100, outputTokens: 10 },
    },
  ]);
  expect(turn!.calls![1]).not.toHaveProperty("isHelper");
  expect(turn!.usage).toEqual({ inputTokens: 100, outputTokens: 10 });
  expect(usage).toMatchObject({ inputTokens: 100, outputTokens: 10 });
  expect(subModelUsage).toEqual({
    worker: { calls: 1, unknownCalls: 0, inputTokens: 7, outputTokens: 3 },
  });
});

test("keeps helpers apart in records, graphs and the viewer", async () => {
  const { player } = await twoModels();
  const played = await rollout(question(), { prompt: "Name a colour." }, { model: player });
  const row = JSON.parse(JSON.stringify(toRow(played)));
  expect(row.trajectory[0].calls).toMatchObject([
    { requested_model: "worker", is_helper: true, served_model: "small-2026" },
    { requested_model: "planner", served_model: "big-2026" },
  ]);
  const read = parseRow(JSON.stringify(row)) as Rollout;
  expect(toRow(read).trajectory).toEqual(row.trajectory);
  expect(messageGraph(read).calls).toMatchObject([
    { kind: "helper", name: "worker" },
    { kind: "agent", name: "planner" },
  ]);
  const [rescored] = await rescoreGroup(question(), [read], {
    seed: undefined,
    maxTurns: undefined,
    judge: undefined,
  });
  expect(rescored).toMatchObject({ rollout: { reward: 1 } });
  const viewed = readRecord(JSON.stringify(row)) as readonly ReadRollout[];
  expect(viewRollout(viewed[0]!).branches).toMatchObject([
    { kind: "helper", subModel: "worker" },
    { kind: "agent", subModel: "planner" },
  ]);
});

const say = (text: string, id: string): Model => Object.assign(scriptedModel(text), { id });

test.each([
  [
    "chat completions",
    "/v1/chat/completions",
    { ...ask, model: "other" },
    { error: { code: "model_not_found", type: "invalid_request_error" } },
  ],
  [
    "Responses",
    "/v1/responses",
    { model: "other", input: "Which?" },
    { error: { code: "model_not_found" } },
  ],
  [
    "Messages",
    "/v1/messages",
    { ...ask, model: "other" },
    { type: "error", error: { type: "not_found_error" } },
  ],
  [
    "Gemini",
    "/v1beta/models/other:generateContent",
    { contents: [{ role: "user", parts: [{ text: "Which?" }] }] },
    { error: { code: 404, status: "NOT_FOUND" } },
  ],
])("rejects an unknown name in %s, and names the known ones", async (_, path, body, error) => {
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const { origin, calls } = gateway.open({
    model: say("a", "big"),
    helpers: { worker: say("b", "small") },
  });
  const reply = await post(origin + path, body);
  expect(reply).toMatchObject({ status: 404, body: error });
  expect(reply.body.error.message).toContain('named "other". It has: big, worker.');
  expect(calls).toEqual([]);
});

test("accepts any name without helpers, and lists the names with them", async () => {
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const alone = gateway.open({ model: say("a", "big") });
  const { status } = await post(`${alone.baseURL}/chat/completions`, { ...ask, model: "other" });
  expect(status).toBe(200);
  const both = gateway.open({
    model: say("a", "big"),
    modelName: "planner",
    helpers: { worker: say("b", "small") },
  });
  const models = await (await fetch(`${both.baseURL}/models`)).json();
  expect(models).toMatchObject({ data: [{ id: "planner" }, { id: "worker" }] });
  for (const [model, content] of [
    ["planner", "a"],
    ["big", "a"],
    ["model", "a"],
    ["worker", "b"],
  ]) {
    const reply = await post(`${both.baseURL}/chat/completions`, { ...ask, model });
    expect(reply.body.choices[0].message.content).toBe(content);
  }
});

test("counts the calls of helpers in the limits of a rollout", async () => {
  const player = agent(
    async ({ baseURL }) => {
      for (const model of ["worker", "big", "worker"]) {
        const { status, body } = await post(`${baseURL}/chat/completions`, { ...ask, model });
        if (status !== 200) throw new Error(body.error.message);
      }
      return "red";
    },
    { model: say("red", "big"), helpers: { worker: say("warm", "small") }, maxCalls: 2 },
  );
  const played = await rollout(question(), { prompt: "Name a colour." }, { model: player });
  expect(played.isTruncated).toBe(true);
  expect(played.trajectory[0]!.calls).toMatchObject([{ isHelper: true }, { message: {} }]);
});

test("wraps the helpers too, so that their replies are recorded and replayed", async () => {
  const asked: string[] = [];
  const player = agent(
    async ({ baseURL, model }) => {
      for (const name of ["worker", model])
        await post(`${baseURL}/chat/completions`, { ...ask, model: name });
      return "red";
    },
    { model: say("red", "big"), helpers: { worker: say("warm", "small") } },
  ).wrapModel((model) =>
    Object.assign<Model, Partial<Model>>(
      (request) => {
        asked.push(model.id!);
        return model(request);
      },
      { id: model.id },
    ),
  );
  await rollout(question(), { prompt: "Name a colour." }, { model: player });
  expect(asked).toEqual(["small", "big"]);
});

test("keeps the helpers of an agent that receives another model", () => {
  const helper = gemini("small", { apiKey: "key" });
  const player = agent(async () => "", { helpers: { worker: helper } });
  expect(player.withModel(say("a", "big")).helpers).toEqual({ worker: helper });
});
