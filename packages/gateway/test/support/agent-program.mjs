// An agent as its authors write them: it knows its provider from variables, and its tools from an MCP server.
import { spawn } from "node:child_process";

const [mode, mcpURL, prompt] = process.argv.slice(2);
if (mode === "fail") {
  console.error("I give up.");
  process.exit(3);
}
if (mode === "die") process.kill(process.pid, "SIGKILL");

const { default: Anthropic } = await import("@anthropic-ai/sdk");
const anthropic = new Anthropic();
const ask = (messages, tools) =>
  anthropic.messages.create({ model: "any", max_tokens: 100, messages, tools });

if (mode === "asked-then-die") {
  for (const content of ["one", "two"]) await ask([{ role: "user", content }]);
  process.kill(process.pid, "SIGKILL");
} else if (mode === "hang") {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await ask([{ role: "user", content: JSON.stringify([process.pid, child.pid]) }]);
  setInterval(() => {}, 1000);
} else {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const mcp = new Client({ name: "agent", version: "1" });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(mcpURL)));
  const { tools } = await mcp.listTools();
  const messages = [{ role: "user", content: prompt }];
  for (;;) {
    const { content } = await ask(
      messages,
      tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      })),
    );
    messages.push({ role: "assistant", content });
    const calls = content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) {
      console.log(content.map((block) => block.text).join(""));
      break;
    }
    const results = [];
    for (const { id, name, input } of calls) {
      const result = await mcp.callTool({ name, arguments: input });
      results.push({ type: "tool_result", tool_use_id: id, content: result.content });
    }
    messages.push({ role: "user", content: results });
  }
  await mcp.close();
}
