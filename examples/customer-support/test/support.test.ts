import { createOpenAI } from "@ai-sdk/openai";
import { agent } from "@envs/gateway";
import { aiSdkMessages, aiSdkTools } from "@envs/gateway/ai-sdk";
import { openai } from "@envs/models";
import { describeEnvironment } from "@envs/vitest";

import { cases } from "../evals/cases.ts";
import environment from "../evals/environment.ts";
import { supportAgent } from "../src/agent.ts";
import { scriptedProvider } from "./scripted-provider.ts";

/** The model behind the agent: `SUPPORT_MODEL=gpt-5-mini` asks that of OpenAI. */
const name = process.env["SUPPORT_MODEL"];
const model = name === undefined ? scriptedProvider() : openai(name);

const support = agent(
  async ({ baseURL, apiKey, model: modelName, messages, tools, signal }) => {
    const provider = createOpenAI({ baseURL, apiKey });
    const { text } = await supportAgent(provider(modelName), aiSdkTools(tools)).generate({
      messages: aiSdkMessages(messages),
      abortSignal: signal,
    });
    return text;
  },
  { id: "support", model },
);

describeEnvironment(environment(), {
  model: support,
  examples: cases.length,
  trials: 4,
  gate: { passRate: 0.6, passAtK: { 4: 0.7 }, passHatK: { 4: 0.5 } },
  budget: { tokens: 100_000 },
});
