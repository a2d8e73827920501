import { join } from "node:path";

import { mapValues } from "@envs/core/engine";

import type { Preset } from "./preset.ts";

const file = "opencode.json";
const clients = { chat: "@ai-sdk/openai-compatible", responses: "@ai-sdk/openai" } as const;

/** opencode. It names the environment's tools after their server: `environment_search`. */
export const opencode: Preset = {
  name: "opencode",
  dialects: ["chat", "responses"],
  program: (dialect) => ({
    command: "opencode",
    install: "npm install -g opencode-ai",
    args: ({ observation }) => [
      "run",
      "--pure",
      "--model",
      "gateway/model",
      ...(observation === 0 ? [] : ["--continue"]),
    ],
    input: ({ prompt }) => prompt,
    env: ({ home }) => ({
      OPENCODE_CONFIG: join(home, file),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
    }),
    homeFiles: ({ baseURL, apiKey, mcpServers }) => ({
      [file]: JSON.stringify({
        share: "disabled",
        autoupdate: false,
        provider: {
          gateway: {
            npm: clients[dialect === "responses" ? "responses" : "chat"],
            options: { baseURL, apiKey },
            models: { model: { tool_call: true } },
          },
        },
        mcp: mapValues(mcpServers, (url) => ({ type: "remote", url })),
        permission: { edit: "allow", bash: "allow", webfetch: "deny" },
      }),
    }),
    bundle: {
      packages: ["opencode-ai@1.18.33"],
      file: (architecture) => `opencode-linux-${architecture}/bin/opencode`,
    },
  }),
};
