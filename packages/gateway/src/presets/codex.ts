import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Preset } from "./preset.ts";

const replyFile = "reply.txt";

const configuration = (baseURL: string, mcpURL: string): string => `model = "model"
model_provider = "gateway"
approval_policy = "never"
sandbox_mode = "workspace-write"

[model_providers.gateway]
name = "gateway"
base_url = "${baseURL}"
env_key = "OPENAI_API_KEY"
wire_api = "responses"

[mcp_servers.environment]
url = "${mcpURL}"
default_tools_approval_mode = "approve"
`;

/** OpenAI's Codex. It gives its last message in a file, and groups the environment's tools in a namespace. */
export const codex: Preset = {
  name: "codex",
  dialects: ["responses"],
  program: () => ({
    command: "codex",
    install: "npm install -g @openai/codex",
    args: ({ home, observation }) => [
      "exec",
      "--skip-git-repo-check",
      "--color=never",
      `--output-last-message=${join(home, replyFile)}`,
      ...(observation === 0 ? [] : ["resume", "--last"]),
      "-",
    ],
    input: ({ prompt }) => prompt,
    env: ({ home }) => ({ CODEX_HOME: home }),
    homeFiles: ({ baseURL, mcpURL }) => ({ "config.toml": configuration(baseURL, mcpURL) }),
    reply: ({ home }) => readFile(join(home, replyFile), "utf8"),
  }),
};
