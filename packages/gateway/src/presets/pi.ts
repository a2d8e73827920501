import { piTools } from "./pi-tools.ts";
import type { Preset } from "./preset.ts";

const apis = {
  chat: "openai-completions",
  responses: "openai-responses",
  messages: "anthropic-messages",
  gemini: "google-generative-ai",
} as const;

/** The coding agent pi. It has no client of MCP: an extension adds the environment's tools, which replace pi's tools of the same name. */
export const pi: Preset = {
  name: "pi",
  dialects: ["chat", "responses", "messages", "gemini"],
  program: (dialect) => ({
    command: "pi",
    install: "npm install -g @earendil-works/pi-coding-agent",
    // Without an earlier session, --continue starts one.
    args: ["--print", "--continue", "--provider", "gateway", "--model", "model"],
    input: ({ prompt }) => prompt,
    env: ({ home, mcpURL }) => ({
      PI_CODING_AGENT_DIR: home,
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      ENVIRONMENT_MCP_URL: mcpURL,
    }),
    homeFiles: ({ origin, baseURL, apiKey, mcpServers }) => {
      const urls = {
        chat: baseURL,
        responses: baseURL,
        messages: origin,
        gemini: `${origin}/v1beta`,
      };
      const gateway = {
        baseUrl: urls[dialect],
        api: apis[dialect],
        apiKey,
        models: [{ id: "model" }],
      };
      return {
        "models.json": JSON.stringify({ providers: { gateway } }),
        ...(mcpServers["environment"] !== undefined && { "extensions/environment.js": piTools }),
      };
    },
    bundle: {
      packages: ["@earendil-works/pi-coding-agent@0.87.1"],
      file: () => "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
    },
  }),
};
