import { createOpenAI } from "@ai-sdk/openai";
import {
  assistantMessage,
  callTools,
  ConfigError,
  defineEnvironment,
  evaluate,
  userMessage,
} from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { startGateway } from "@envs/gateway";
import { aiSdkMessages, environmentTools } from "@envs/gateway/ai-sdk";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";
import { generateText, jsonSchema, tool, type ToolSet } from "ai";
import { describe, expect, test } from "vitest";
import * as z from "zod";

describe("environmentTools", () => {
  test("makes an environment run the tools of an application on its state", async () => {
    const toolsOf = (bought: string[]): ToolSet => ({
      buy: tool({
        description: "Buys a thing.",
        inputSchema: z.object({ thing: z.string().min(3) }),
        execute: ({ thing }, { messages, abortSignal }) => {
          abortSignal?.throwIfAborted();
          bought.push(thing);
          return { bought: thing, roles: messages.map(({ role }) => role) };
        },
      }),
    });
    const shop = defineEnvironment({
      name: "shop",
      dataset: () => [{ prompt: "Buy a pan." }],
      setup: () => ({ bought: Array.of<string>() }),
      tools: ({ state }) => environmentTools(toolsOf(state.bought)),
      rubric: { bought: ({ state }) => state.bought.join() === "pan" },
    });
    const model = scriptedModel(
      callTools([["buy", { thing: "x" }]]),
      callTools([["buy", { thing: "pan" }]]),
      "Done.",
    );
    const { rollouts } = await evaluate(shop(), { model, rolloutsPerExample: 1 });
    expect(rollouts).toMatchObject([{ reward: 1 }]);
    expect(rollouts[0]!.completion.at(-2)!.content).toBe(
      JSON.stringify({ bought: "pan", roles: ["user", "assistant", "tool", "assistant"] }),
    );
  });

  test("rejects tools that it cannot run or describe", () => {
    const input = z.object({});
    expect(() => environmentTools({ ask: tool({ inputSchema: input }) })).toThrow(ConfigError);
    expect(() => environmentTools({ ask: tool({ inputSchema: input }) })).toThrow(
      "The tool ask has no execute",
    );
    const untyped = tool({ inputSchema: jsonSchema({ type: "object" }), execute: () => "" });
    expect(() => environmentTools({ untyped })).toThrow(
      "The inputSchema of the tool untyped is not a z.object() of zod 4",
    );
  });
});

test("aiSdkMessages keeps calls with their results, and leaves out system messages", () => {
  const call = callTools([["buy", { thing: "pan" }]]);
  const messages = [
    { role: "system", content: "Be brief." } as const,
    userMessage("Buy a pan."),
    call,
    { role: "tool", tool_call_id: call.tool_calls![0]!.id, content: "bought" } as const,
    assistantMessage("Done."),
  ];
  expect(aiSdkMessages(messages)).toMatchObject([
    { role: "user", content: [{ type: "text", text: "Buy a pan." }] },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolName: "buy", input: { thing: "pan" } }],
    },
    { role: "tool", content: [{ toolName: "buy", output: { type: "text", value: "bought" } }] },
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
  ]);
});

test.each([400, 401])("the AI SDK asks once if the provider responds %i", async (status) => {
  await using server = await modelServer({ name: "real", faults: { serverError: { status } } });
  await using gateway = await startGateway();
  const session = gateway.open({ model: openai("real", { baseURL: server.url }) });
  const model = createOpenAI(session).chat("any");
  await expect(generateText({ model, prompt: "Hello" })).rejects.toMatchObject({
    statusCode: status,
    message: expect.stringContaining("The test server failed."),
  });
  expect(server.requests).toBe(1);
});
