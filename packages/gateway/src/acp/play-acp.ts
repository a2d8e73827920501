import { PassThrough, Readable, Writable } from "node:stream";

import {
  client,
  type ClientContext,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { RolloutError } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import type { AgentContext } from "../agent/agent-run.ts";
import type { ProgramRun, ProgramSite } from "../agent/program-site.ts";
import type { ProgramContext } from "../agent/program.ts";
import { AcpFiles } from "./acp-files.ts";
import { AcpRecord, chooseOption } from "./acp-record.ts";
import { AcpTerminals } from "./acp-terminals.ts";

const maxMessage = 8 * 2 ** 20;
const newline = 10;
const authenticationRequired = -32_000;

/** What a seat keeps between observations. */
export interface AcpSeat {
  sessionId?: string | undefined;
}

/**
 * Plays an observation with a program that speaks the Agent Client Protocol on its standard streams, and resolves to its last words. It
 * may read and write files and run commands through us; permissions are granted. The record has all of it.
 */
export async function playAcp(
  site: ProgramSite,
  run: ProgramRun,
  context: Pick<ProgramContext, "prompt" | "mcpServers" | "workspace"> & {
    readonly record: AgentContext["record"];
    readonly seat: AcpSeat;
  },
): Promise<string> {
  const ended = new AbortController();
  const signal = AbortSignal.any([run.signal, ended.signal]);
  const [input, output] = [new PassThrough(), new PassThrough()];
  let stderr = "";
  /** The bytes since the last line end. */
  let unread = 0;
  const exit = site.command(await site.argvOf(run), {
    env: run.env,
    stdin: input,
    signal,
    onOutput: (stream, data) => {
      if (ended.signal.aborted) return;
      if (stream === "stderr") {
        stderr = (stderr + Buffer.from(data).toString()).slice(-2_000);
        return;
      }
      const end = data.lastIndexOf(newline);
      unread = end === -1 ? unread + data.length : data.length - end - 1;
      if (unread <= maxMessage) output.write(data);
      else
        ended.abort(
          new RolloutError(
            "agent",
            `${run.command} wrote a message of more than ${maxMessage} bytes.`,
          ),
        );
    },
  });
  exit.catch(() => {}).finally(() => output.end());
  const record = new AcpRecord(context.record);
  const files = new AcpFiles(site, { env: run.env, signal }, context.record);
  const terminals = new AcpTerminals(site, { env: run.env, signal }, context.record);
  const { fs, terminal, session } = methods.client;
  const app = client({ name: "envs" })
    .onRequest(session.requestPermission, ({ params }) => {
      const option = chooseOption(params.options);
      record.permission(params, option);
      return option === undefined
        ? { outcome: { outcome: "cancelled" as const } }
        : { outcome: { outcome: "selected" as const, optionId: option.optionId } };
    })
    .onNotification(session.update, ({ params }) => record.update(params.update))
    .onRequest(fs.readTextFile, ({ params }) => files.read(params))
    .onRequest(fs.writeTextFile, ({ params }) => files.write(params))
    .onRequest(terminal.create, ({ params }) => terminals.create(params))
    .onRequest(terminal.output, ({ params }) => terminals.output(params.terminalId))
    .onRequest(terminal.waitForExit, ({ params }) => terminals.wait(params.terminalId))
    .onRequest(terminal.kill, ({ params }) => terminals.kill(params.terminalId))
    .onRequest(terminal.release, ({ params }) => terminals.release(params.terminalId));
  const stream = ndJsonStream(
    Writable.toWeb(input) as WritableStream<Uint8Array>,
    Readable.toWeb(output) as ReadableStream<Uint8Array>,
  );
  try {
    const conversation = app.connectWith(stream, (connected) =>
      converse(connected, context, record),
    );
    conversation.catch(() => {});
    await Promise.race([conversation, aborted(signal)]);
    return record.reply;
  } catch (error) {
    run.signal.throwIfAborted();
    ended.signal.throwIfAborted();
    const result = await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, 500))]);
    const { timedOut, exitCode } = (result ?? {}) as Partial<Awaited<typeof exit>>;
    if (timedOut === true) {
      context.record("limit", `${run.command} was ended: the time of the agent is over.`);
      return record.reply;
    }
    const end = exitCode === undefined ? "" : ` It exited with code ${exitCode}.`;
    throw new RolloutError(
      "agent",
      `${run.command} did not answer by ACP: ${messageOf(error)}.${end} ${stderr.trim()}`.trim(),
      { cause: error },
    );
  } finally {
    ended.abort();
    record.end();
    await exit.catch(() => {});
  }
}

/** Rejects when the rollout or its program is ended. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  return promise;
}

/** One prompt of a session, which continues the one before if the agent can load it. */
async function converse(
  agent: ClientContext,
  { prompt, mcpServers, workspace: cwd, seat }: Parameters<typeof playAcp>[2],
  record: AcpRecord,
): Promise<void> {
  const { agentCapabilities: can = {}, authMethods = [] } = await agent.request(
    methods.agent.initialize,
    {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    },
  );
  const servers = Object.entries(mcpServers).map(([name, url]): McpServer => ({
    type: "http",
    name,
    url,
    headers: [],
  }));
  if (servers.length > 0 && can.mcpCapabilities?.http !== true)
    throw new Error(
      "it does not support MCP servers over HTTP, which have the environment's tools",
    );
  const open = async (): Promise<string> => {
    const { sessionId: last } = seat;
    if (last === undefined || can.loadSession !== true)
      return (await agent.request(methods.agent.session.new, { cwd, mcpServers: servers }))
        .sessionId;
    await agent.request(methods.agent.session.load, { sessionId: last, cwd, mcpServers: servers });
    return last;
  };
  const sessionId = await open().catch(async (error: unknown) => {
    const isLocked = error instanceof RequestError && error.code === authenticationRequired;
    const method = authMethods.find(({ id }) => /key/iu.test(id)) ?? authMethods[0];
    if (!isLocked || method === undefined) throw error;
    await agent.request(methods.agent.authenticate, { methodId: method.id });
    return open();
  });
  seat.sessionId = sessionId;
  // An agent that loads a session repeats its messages.
  record.begin();
  const { stopReason } = await agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: "text", text: prompt }],
  });
  if (stopReason !== "end_turn") record.stop(stopReason);
}
