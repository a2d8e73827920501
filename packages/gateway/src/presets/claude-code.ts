import { join } from "node:path";

import { mapValues } from "@envs/core/engine";

import type { Preset } from "./preset.ts";

const servers = "servers.json";

/** Anthropic's Claude Code. It names the environment's tools after their server: `mcp__environment__search`. */
export const claudeCode: Preset = {
  name: "claude-code",
  dialects: ["messages"],
  program: () => ({
    command: "claude",
    install: "npm install -g @anthropic-ai/claude-code",
    // It does not skip its questions for permission as root, so the tools that need none are listed.
    args: ({ home, observation }) => [
      "--print",
      "--bare",
      "--model=model",
      "--strict-mcp-config",
      `--mcp-config=${join(home, servers)}`,
      "--allowedTools=mcp__environment,Bash,Edit,Read,Write",
      ...(observation === 0 ? [] : ["--continue"]),
    ],
    input: ({ prompt }) => prompt,
    env: ({ home }) => ({
      CLAUDE_CONFIG_DIR: home,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    homeFiles: ({ mcpServers }) => ({
      [servers]: JSON.stringify({
        mcpServers: mapValues(mcpServers, (url) => ({ type: "http", url })),
      }),
    }),
    bundle: {
      packages: ["@anthropic-ai/claude-code@2.1.197"],
      file: (architecture) => `@anthropic-ai/claude-code-linux-${architecture}/claude`,
    },
  }),
};
