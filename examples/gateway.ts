// A client of OpenAI asks a model of ours: the gateway is its provider, and records the calls of the rollout.
import { assistantMessage, type Model, textOf } from "@envs/core";
import { startGateway } from "@envs/gateway";
import OpenAI from "openai";

/** Any model: `openai("gpt-5")`, a tiny model, your own function. */
const model: Model = async () => ({ message: assistantMessage("It is sunny."), finish: "stop" });

await using gateway = await startGateway();
const { baseURL, apiKey, calls } = gateway.open({ model, maxCalls: 10 });

const client = new OpenAI({ baseURL, apiKey });
const { output_text: reply } = await client.responses.create({
  model: "any",
  input: "Weather in Rome?",
});
console.log(reply);

for (const { messages, message } of calls)
  console.log(`${messages.map(({ content }) => textOf(content)).join(" ")} → ${message.content}`);
