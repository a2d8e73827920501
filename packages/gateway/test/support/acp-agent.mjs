// An agent that speaks ACP: it plans, asks for permission, edits a file, runs a command, asks its model, and replies.
import { writeSync } from "node:fs";
import { Readable, Writable } from "node:stream";

import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const [mode] = process.argv.slice(2);
const { client } = methods;
let cwd = "";

const app = agent({ name: "test" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { mcpCapabilities: { http: mode !== "without MCP" } },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    cwd = params.cwd;
    return { sessionId: "one" };
  })
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId }, client: us }) => {
    if (mode === "dies") process.exit(3);
    if (mode === "floods")
      for (;;)
        try {
          writeSync(1, "x".repeat(65_536));
        } catch {
          // The pipe is full.
        }
    if (mode === "sleeps") await new Promise((resolve) => setTimeout(resolve, 60_000));
    const update = (sessionUpdate) =>
      us.notify(client.session.update, { sessionId, update: sessionUpdate });
    const say = (text) =>
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    await update({
      sessionUpdate: "plan",
      entries: [{ content: "Write the file", priority: "high", status: "pending" }],
    });
    await say("I begin.");
    const call = { toolCallId: "call", title: "Edit word.txt", kind: "edit" };
    await update({ sessionUpdate: "tool_call", ...call, status: "pending" });
    const { outcome } = await us.request(client.session.requestPermission, {
      sessionId,
      toolCall: call,
      options: [
        { optionId: "no", name: "Reject", kind: "reject_once" },
        { optionId: "yes", name: "Allow", kind: "allow_once" },
      ],
    });
    const path = `${cwd}/deep/word.txt`;
    await us.request(client.fs.writeTextFile, { sessionId, path, content: "one\nsesame\n" });
    const read = await us.request(client.fs.readTextFile, { sessionId, path, line: 2, limit: 1 });
    const { terminalId } = await us.request(client.terminal.create, {
      sessionId,
      command: "sh",
      args: ["-c", "cat deep/word.txt; exit 4"],
    });
    const { exitCode } = await us.request(client.terminal.waitForExit, { sessionId, terminalId });
    const { output } = await us.request(client.terminal.output, { sessionId, terminalId });
    await us.request(client.terminal.release, { sessionId, terminalId });
    await update({ sessionUpdate: "tool_call_update", ...call, status: "completed" });
    const reply = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${process.env.OPENAI_API_KEY}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ model: "model", messages: [{ role: "user", content: output }] }),
    });
    const { choices } = await reply.json();
    await say(`${outcome.optionId} ${read.content} ${exitCode} ${choices[0].message.content}`);
    return { stopReason: "end_turn" };
  });

if (mode === "is silent") process.exit(0);
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
