import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { assistantMessage, callTools, evaluate, type Model } from "@envs/core";
import { docker } from "@envs/machine";
import { expect, test } from "vitest";

import { harbor } from "../src/index.ts";
import { image, socket } from "./support/sum-task.ts";
import { written } from "./written.ts";

const check = "python3 -c \"import socket; socket.create_connection(('localhost', 8000), 2)\"";

const task = async () => ({
  "task.toml": `artifacts = [{ source = "/served", service = "tools" }]
[environment]
network_mode = "no-network"
skills_dir = "/skills"
[[environment.mcp_servers]]
name = "inner"
transport = "stdio"
command = "python3"
args = ["/mcp.py", "plum"]
[[environment.mcp_servers]]
name = "outer"
transport = "streamable-http"
url = "http://tools:8000/mcp"
[verifier]
environment_mode = "separate"
collect = [{ command = "mkdir /served && echo pear > /served/fruit", service = "tools" }]
[[steps]]
name = "one"
[[steps]]
name = "two"
`,
  "trajectory.json": JSON.stringify({
    schema_version: "ATIF-v1.8",
    agent: { name: "other", version: "1" },
    steps: [
      { step_id: 1, source: "system", message: "You are another agent." },
      { step_id: 2, source: "user", message: "What grows here?" },
      { step_id: 3, source: "agent", message: "Fruit." },
    ],
  }),
  "environment/Dockerfile": `FROM ${image}\nCOPY mcp.py /mcp.py\nCOPY skills /skills\n`,
  "environment/mcp.py": await readFile(join(import.meta.dirname, "fixtures/mcp.py"), "utf8"),
  "environment/skills/bake/SKILL.md": "---\nname: bake\ndescription: How to bake.\n---\nHeat.\n",
  "environment/docker-compose.yaml": `services:
  main:
    depends_on: { tools: { condition: service_healthy } }
  tools:
    build: .
    command: ["python3", "/mcp.py", "pear", "8000"]
    healthcheck: { test: ${JSON.stringify(["CMD-SHELL", check])}, interval: 1s, retries: 60 }
`,
  "steps/one/instruction.md": "Name the fruits.",
  "steps/two/instruction.md": "Once more.",
  "tests/test.sh":
    '[ "$(cat /served/fruit)" = pear ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt\n',
});

test("gives a model the tools of MCP servers in each step, the skills, and an earlier conversation", async () => {
  const call = (name: string) => callTools([[name, {}]]);
  const replies = [call("fruit"), call("outer_fruit"), assistantMessage("Done."), call("fruit")];
  let turn = 0;
  const model: Model = async () => ({
    message: replies[turn++] ?? assistantMessage("Done."),
    finish: "stop",
  });
  const provider = docker({ socket });
  const environment = harbor(await written(await task()), { provider })();
  const { rollouts } = await evaluate(environment, { model, examples: 1, rolloutsPerExample: 1 });
  const [rollout] = rollouts;
  expect(rollout).toMatchObject({ status: "scored", reward: 1 });
  const results = rollout!.completion.filter(({ role }) => role === "tool");
  expect(results.map(({ content }) => content)).toEqual(["plum", "pear", "plum"]);
  const texts = rollout!.prompt.slice(1).map(({ content }) => content);
  expect(texts).toEqual([
    "What grows here?",
    "Fruit.",
    expect.stringMatching(/Name the fruits.*- bake: How to bake. \(\/skills\/bake\/SKILL.md\)/su),
  ]);
});
