import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import codeRepair from "@envs/code-repair";
import { assistantMessage, type Environment, evaluate, type Rollout, textOf } from "@envs/core";
import { type ReplyFunction } from "@envs/core/testing";
import { agent, type AgentContext, type AgentFunction } from "@envs/gateway";
import { aiSdkTools } from "@envs/gateway/ai-sdk";
import { openai } from "@envs/models";
import { type ModelServer, modelServer, policyAnswer } from "@envs/models/testing";
import wikiSearch from "@envs/wiki-search";
import { isStepCount, type LanguageModel, ToolLoopAgent } from "ai";
import { describe, expect, onTestFinished, test } from "vitest";

const tasks: readonly (readonly [string, Environment])[] = [
  ["wiki-search", wikiSearch() as Environment],
  ["code-repair", codeRepair() as Environment],
];

type Dialect = (context: Pick<AgentContext, "origin" | "baseURL" | "apiKey">) => LanguageModel;

const dialects: Readonly<Record<string, Dialect>> = {
  chat: ({ baseURL, apiKey }) => createOpenAI({ baseURL, apiKey }).chat("any"),
  responses: ({ baseURL, apiKey }) => createOpenAI({ baseURL, apiKey }).responses("any"),
  messages: ({ baseURL, apiKey }) => createAnthropic({ baseURL, apiKey })("claude-haiku-4-5"),
  gemini: ({ origin, apiKey }) => createGoogle({ baseURL: `${origin}/v1beta`, apiKey })("any"),
};

/** A model's server that plays as the oracle does, and reports the tokens of its characters. */
async function oracle(environment: Environment): Promise<ModelServer> {
  const play = policyAnswer(environment, "oracle", { examples: 3 });
  const ids = (value: unknown): readonly number[] =>
    Array.from(JSON.stringify(value), (character) => character.codePointAt(0)!);
  const answer: ReplyFunction = async (request) => {
    const reply = await play(request);
    const message = typeof reply === "string" ? assistantMessage(reply) : reply;
    if ("message" in message) throw new TypeError("A policy returns a message.");
    const promptIds = ids(request.messages);
    const completionIds = ids(message);
    return {
      message,
      finish: message.tool_calls === undefined ? "stop" : "tool_calls",
      usage: {
        inputTokens: promptIds.length,
        outputTokens: completionIds.length,
        cacheReadTokens: 7,
      },
      tokens: { promptIds, completionIds, completionLogprobs: completionIds.map(() => -0.5) },
    };
  };
  const server = await modelServer({ answer });
  onTestFinished(server.close);
  return server;
}

const toolLoop =
  (dialect: Dialect, isStream: boolean): AgentFunction =>
  async (context) => {
    const [instructions = "", prompt = ""] = context.messages.map(({ content }) => textOf(content));
    const loop = new ToolLoopAgent({
      model: dialect(context),
      instructions,
      tools: aiSdkTools(context.tools),
      stopWhen: isStepCount(20),
      maxOutputTokens: 1000,
      maxRetries: 0,
    });
    const options = { prompt, abortSignal: context.signal };
    return isStream ? (await loop.stream(options)).text : (await loop.generate(options)).text;
  };

/** How often each tool was called. */
function countsOf(tools: Rollout["tools"] = {}): readonly (readonly [string, number])[] {
  return Object.entries(tools).map(([name, { calls }]) => [name, calls] as const);
}

describe.each(tasks)("a ToolLoopAgent solves %s", (_, environment) => {
  test.each(
    Object.entries(dialects).flatMap(([name, dialect]) => [
      [name, "", dialect, false] as const,
      [name, " with streams", dialect, true] as const,
    ]),
  )("over %s%s", async (name, _mode, dialect, isStream) => {
    const { url } = await oracle(environment);
    const model = openai("model", { baseURL: url, tokens: true });
    const options = { examples: 3, rolloutsPerExample: 1 };
    const played = await evaluate(environment, {
      ...options,
      model: agent(toolLoop(dialect, isStream), { model }),
    });
    const direct = await evaluate(environment, { ...options, model });
    expect(played.rollouts).toHaveLength(3);
    for (const [index, rollout] of played.rollouts.entries()) {
      const other = direct.rollouts[index]!;
      expect(rollout).toMatchObject({ status: "scored", reward: 1 });
      expect(countsOf(rollout.tools)).toEqual(countsOf(other.tools));
      expect(rollout.completion).toEqual(other.completion);
      expect(rollout.usage).toEqual(other.usage);
      expect(rollout.trajectory.map(({ tokens }) => tokens)).toEqual(
        other.trajectory.map(({ tokens }) => tokens),
      );
      for (const { calls = [], tokens } of rollout.trajectory)
        expect(calls).toMatchObject([{ dialect: name, tokens }]);
    }
  });
});
