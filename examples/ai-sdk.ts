// Evaluate a language model of the Vercel AI SDK. The provider here connects to a local test server.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { evaluate, textOf } from "@envs/core";
import { aiSdk } from "@envs/models";
import { modelServer } from "@envs/models/testing";
import reverseText from "@envs/reverse-text";

await using server = await modelServer({
  answer: ({ messages }) =>
    `<reversed>${Array.from(textOf(messages.at(-1)!.content))
      .toReversed()
      .join("")}</reversed>`,
});

// #region evaluate
const provider = createOpenAICompatible({ name: "local", baseURL: server.url });
const model = aiSdk(provider.chatModel("model"));

const { scores } = await evaluate(reverseText(), { model, examples: 3, rolloutsPerExample: 1 });
// #endregion
console.log(`exact ${scores.exact.mean}`);
