import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";

import { envs, temporaryFolder } from "../../../cli/test/command.ts";
import { started } from "../../../cli/test/long-running.ts";

const workspace = join(import.meta.dirname, "../../../..");
const bin = join(workspace, "packages/cli/src/bin.ts");

/** A client that starts the command, as desktop applications do: without the variables of this process. */
async function connect(...args: readonly string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "serve", "mcp", ...args],
    cwd: workspace,
    stderr: "pipe",
  });
  const stderr = text(transport.stderr as never);
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, stderr };
}

describe("envs serve mcp", () => {
  test("plays an episode over standard input and output", async () => {
    const { client } = await connect("./environments/reverse-text", "--max-length", "40");
    const { structuredContent } = await client.callTool({ name: "start", arguments: {} });
    const { episode, prompt } = structuredContent as { episode: string; prompt: string };
    const original = prompt.split("\n\n").at(-1)!;
    expect(original.length).toBeLessThanOrEqual(40);
    const reversed = Array.from(original).toReversed().join("");
    const reply = { episode, text: `<reversed>${reversed}</reversed>` };
    await client.callTool({ name: "respond", arguments: reply });
    const scored = await client.callTool({ name: "score", arguments: { episode } });
    expect(scored.structuredContent).toMatchObject({ reward: 1.2, scores: { exact: 1 } });
  });

  test("keeps what an environment prints out of the protocol, and ends with the client", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "chatty.ts");
    await writeFile(
      file,
      `import { defineEnvironment } from ${JSON.stringify(join(workspace, "packages/core/src/index.ts"))};
console.log("printed by the module");
export default defineEnvironment({
  name: "chatty",
  dataset: () => [{ prompt: "Hello." }],
  setup: () => { console.log("printed by setup"); return {}; },
  rubric: { fail: () => { throw new Error("The score has a bug."); } },
});
`,
    );
    const { client, stderr } = await connect(file);
    const { structuredContent } = await client.callTool({ name: "start" });
    const { episode } = structuredContent as { episode: string };
    const reply = { episode, text: "Hello." };
    expect(await client.callTool({ name: "respond", arguments: reply })).toMatchObject({
      isError: true,
      content: [{ text: "The environment failed (score). See the log of the server for details." }],
    });
    await client.close();
    const log = await stderr;
    expect(log).toContain("printed by the module\nprinted by setup\n");
    expect(log).toContain("The score has a bug.");
  });

  test("serves streamable HTTP with --http, and exits with 0 on a signal", async () => {
    const { said, end } = await started(
      ["serve", "mcp", "./environments/tictactoe", "--http", "0"],
      /served at/,
    );
    const [url] = /http:\S+/.exec(said.stdout)!;
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { content } = await client.callTool({ name: "start", arguments: { index: 3 } });
    expect(JSON.stringify(content)).toContain("Free positions");
    await client.close();
    expect(await end("SIGTERM")).toBe(0);
  });

  test("writes errors to standard error", async () => {
    const unknown = await envs(["serve", "mcp", "no-such-environment"]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain('Environment "no-such-environment" not found');
    expect((await envs(["serve", "mcp"])).stderr).toContain(
      "Missing environment. Example: envs serve mcp",
    );
  });
});
