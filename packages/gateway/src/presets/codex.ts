import { join } from "node:path";

import type { ProgramContext } from "../agent/program.ts";
import type { Preset } from "./preset.ts";

const replyFile = "reply.txt";

const configuration = ({
  baseURL,
  mcpServers,
  isMachine,
}: ProgramContext): string => `model = "model"
model_provider = "gateway"
approval_policy = "never"
sandbox_mode = "${isMachine ? "danger-full-access" : "workspace-write"}"

[model_providers.gateway]
name = "gateway"
base_url = "${baseURL}"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
${Object.entries(mcpServers)
  .map(
    ([name, url]) => `
[mcp_servers.${name}]
url = "${url}"
default_tools_approval_mode = "approve"
`,
  )
  .join("")}`;

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
    homeFiles: (context) => ({ "config.toml": configuration(context) }),
    // Codex that was ended has not written the file.
    reply: ({ read, stdout }) => read(replyFile).catch(() => stdout.trim()),
    bundle: {
      packages: ["@openai/codex@0.169.0"],
      file: (architecture) => {
        const processor = architecture === "x64" ? "x86_64" : "aarch64";
        return `@openai/codex-linux-${architecture}/vendor/${processor}-unknown-linux-musl/bin/codex`;
      },
    },
  }),
};
