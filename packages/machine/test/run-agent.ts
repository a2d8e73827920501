import { assistantMessage, type Model } from "@envs/core";
import { startGateway } from "@envs/gateway";
import { docker } from "@envs/machine";

/** Any model: `openai("gpt-5")`, a tiny model, your own function. */
const model: Model = async () => ({ message: assistantMessage("Done."), finish: "stop" });

await using gateway = await startGateway();
const { baseURL, apiKey } = gateway.open({ model });

// A folder with a Dockerfile: { folder: "./environment" }.
await using machine = await docker().create({
  image: { name: "debian:bookworm-slim" },
  network: { allow: ["packages.example.com", "*.files.example.com"] },
  resources: { cpus: 1, memory: 2 ** 30 },
});
await machine.copyIn("task", "/task");

// The agent reaches its model by the gateway; the secret is one of this rollout, and no key of a provider enters.
const env = { OPENAI_BASE_URL: await machine.forward(baseURL), OPENAI_API_KEY: apiKey };
const { exitCode, stdout, timedOut } = await machine.exec("my-agent < /task/instruction.md", {
  env,
  user: "nobody",
  timeoutMs: 600_000,
});
console.log(exitCode, timedOut, stdout);

// The grader comes when the agent's processes are dead, and has no network.
await machine.restart();
await machine.setNetwork("none");
await machine.copyIn("tests", "/tests");
await machine.exec("bash /tests/test.sh");
console.log(Buffer.from(await machine.read("/logs/verifier/reward.txt")).toString());
