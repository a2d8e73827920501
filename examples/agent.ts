// An agent of the AI SDK answers questions from an encyclopedia. Its model is at the gateway; the environment runs its tools.
import { createOpenAI } from "@ai-sdk/openai";
import { evaluate, policy, textOf } from "@envs/core";
import { agent } from "@envs/gateway";
import { aiSdkTools } from "@envs/gateway/ai-sdk";
import wikiSearch from "@envs/wiki-search";
import { isStepCount, ToolLoopAgent } from "ai";

const researcher = agent(
  async ({ baseURL, apiKey, model, messages, tools, signal }) => {
    const [instructions = "", ...prompt] = messages.map(({ content }) => textOf(content));
    const loop = new ToolLoopAgent({
      model: createOpenAI({ baseURL, apiKey })(model),
      instructions,
      tools: aiSdkTools(tools),
      stopWhen: isStepCount(16),
    });
    const reply = await loop.generate({ prompt: prompt.join("\n"), abortSignal: signal });
    return reply.text;
  },
  // Any model: openai("gpt-5"), or as here a policy that knows the answers.
  { model: policy("oracle") },
);

const { reward, tools, rollouts } = await evaluate(wikiSearch(), {
  model: researcher,
  examples: 3,
  rolloutsPerExample: 1,
});
const calls = rollouts.flatMap(({ trajectory }) => trajectory.flatMap((turn) => turn.calls ?? []));
console.log(`reward ${reward.mean}, ${calls.length} model calls, all ${calls[0]?.dialect}`);
console.log(`tools: ${Object.keys(tools).toSorted().join(", ")}`);
