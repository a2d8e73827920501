// A model on a server with Anthropic's Messages plays an environment. Here the server is a gateway, which needs no key.
import { assistantMessage, evaluate } from "@envs/core";
import { messages, startGateway } from "@envs/gateway";
import reverseText from "@envs/reverse-text";

await using server = await startGateway();
const { origin, apiKey, calls } = server.open({
  model: async () => ({ message: assistantMessage("It is hard."), finish: "stop" }),
});

// Anthropic itself: messages("claude-sonnet-5"), with the key in ANTHROPIC_API_KEY.
const model = messages("claude-sonnet-5", { baseURL: origin, apiKey });

const { counts } = await evaluate(reverseText(), { model, examples: 2, rolloutsPerExample: 1 });
console.log(`${counts.scored} rollouts, ${calls.length} calls of ${calls[0]?.dialect}`);
