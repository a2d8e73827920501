import { mapValues } from "@envs/core/engine";

import type { Preset } from "./preset.ts";

/** Qwen Code. It names the environment's tools after their server: `mcp__environment__search`. */
export const qwenCode: Preset = {
  name: "qwen-code",
  dialects: ["chat"],
  program: () => ({
    command: "qwen",
    install: "npm install -g @qwen-code/qwen-code",
    args: ({ observation }) => [
      "--yolo",
      "--auth-type=openai",
      "--model=model",
      ...(observation === 0 ? [] : ["--continue"]),
    ],
    input: ({ prompt }) => prompt,
    env: ({ home }) => ({ QWEN_HOME: home }),
    homeFiles: ({ mcpServers }) => ({
      "settings.json": JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        mcpServers: mapValues(mcpServers, (httpUrl) => ({ httpUrl, trust: true })),
      }),
    }),
    bundle: {
      packages: ["@qwen-code/qwen-code@0.24.4"],
      file: () => "@qwen-code/qwen-code/cli-entry.js",
    },
  }),
};
