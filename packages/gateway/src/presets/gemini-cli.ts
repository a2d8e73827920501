import { mapValues } from "@envs/core/engine";

import type { Preset } from "./preset.ts";

/** Google's Gemini CLI. It names the environment's tools after their server: `mcp_environment_search`. */
export const geminiCli: Preset = {
  name: "gemini-cli",
  dialects: ["gemini"],
  acp: ["--acp", "--skip-trust", "--model=model"],
  program: () => ({
    command: "gemini",
    install: "npm install -g @google/gemini-cli",
    args: ({ observation }) => [
      "--yolo",
      "--skip-trust",
      "--model=model",
      ...(observation === 0 ? [] : ["--resume=latest"]),
    ],
    input: ({ prompt }) => prompt,
    env: ({ home }) => ({ GEMINI_CLI_HOME: home, NO_BROWSER: "1" }),
    homeFiles: ({ mcpServers }) => ({
      ".gemini/settings.json": JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        mcpServers: mapValues(mcpServers, (httpUrl) => ({ httpUrl, trust: true })),
      }),
    }),
    bundle: {
      packages: ["@google/gemini-cli@0.61.0"],
      file: () => "@google/gemini-cli/bundle/gemini.js",
    },
  }),
};
