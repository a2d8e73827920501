import { defineConfig } from "@envs/cli";

export default defineConfig({
  endpoints: {
    mini: { model: "gpt-5-mini", price: { input: 0.25, output: 2 } },
    claude: { model: "claude-sonnet-5", dialect: "messages", sampling: { maxTokens: 4_000 } },
    local: {
      model: "Qwen/Qwen3-4B",
      baseURL: "http://localhost:8000/v1",
      concurrency: 64,
      tokens: true,
    },
  },
  plans: {
    smoke: [
      { environment: "reverse-text", model: "policy:perfect", examples: 5 },
      { environment: "tictactoe", model: "policy:mixed(0.2)", examples: 10 },
    ],
    nightly: ["mini", "local"].flatMap((model) => [
      { environment: "reverse-text", model, examples: 100 },
      { environment: "tictactoe", model, examples: 100, config: { minRandomMoveProb: 0.5 } },
    ]),
  },
});
