import { afterEach, expect, vi } from "vitest";

import { message, nemoClient, rowOf, rowWithOutput } from "./support/nemo-client.ts";
import { orsClient } from "./support/ors-client.ts";
import { test, type TestServer } from "./support/test-server.ts";

const module = new URL("fixtures/demanding.ts", import.meta.url).href;

/** Plays an episode. Returns a function that sends a reply, and resolves to the error for the client. */
type Join = (server: TestServer) => Promise<(text: string) => Promise<unknown>>;

const protocols: Readonly<Record<string, Join>> = {
  async OpenEnv(server) {
    const socket = await server.openSocket();
    await socket.reset();
    return async (text) => {
      const frame = await socket.step({ text });
      expect(frame?.type).toBe("error");
      expect(socket.socket.readyState).toBe(WebSocket.OPEN);
      return frame!.data.message;
    };
  },
  async ORS({ url }) {
    const { post } = orsClient({ url }, "guilty");
    await post("/create", { split: "train", index: 0 });
    return async (text) => {
      const call = await post("/demanding/call", { name: "respond", input: { text } });
      await post("/delete");
      expect(call.events.at(-1)).toMatchObject({ event: "error" });
      return call.events.at(-1)!.data;
    };
  },
  async "NeMo Gym"(server) {
    const agent = nemoClient(server, "demanding");
    await agent.post("reset", rowOf(0));
    return async (text) => {
      const step = await agent.post("step", rowWithOutput(rowOf(0), message(text)));
      // 504: the time limit of the step passed first.
      expect([500, 504]).toContain(step.status);
      return step.json.detail;
    };
  },
  async MCP({ url }) {
    let session = {};
    const request = async (method: string, params: object) => {
      const response = await fetch(`${url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...session,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      session = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
      return (await response.json()) as { readonly error?: { readonly message: string } };
    };
    const clientInfo = { name: "test", version: "1" };
    await request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo,
    });
    return async (text) => {
      const { error } = await request("tools/call", { name: "respond", arguments: { text } });
      return error?.message;
    };
  },
};

const lost = expect.stringContaining("The process of this episode ended");
/** The time limit of a step may pass before its process has ended. */
const lostOrTimeout = expect.stringMatching(/process of this episode ended|did not answer within/u);

async function readyProcesses({ url }: TestServer): Promise<number> {
  const response = await fetch(`${url}/health`);
  return ((await response.json()) as { processes: { ready: number } }).processes.ready;
}

afterEach(() => void vi.unstubAllEnvs());

// One server for all protocols: those whose episodes ended start others.
test.for(["loop", "exhaust", "abort"])(
  "an episode that does %s gets an error over each protocol, and costs at most two of fifteen others",
  async (act, { startServer }) => {
    vi.stubEnv("NODE_OPTIONS", "--max-old-space-size=64");
    const server = await startServer([{ module }], { stepTimeout: 5000, processes: 8 });
    vi.unstubAllEnvs();
    const others = await Promise.all(Array.from({ length: 15 }, () => server.openSocket()));
    for (const socket of others) await socket.reset();
    for (const [protocol, join] of Object.entries(protocols)) {
      const send = await join(server);
      let hasFailed = false;
      const failure = send(act).finally(() => (hasFailed = true));
      const added = await server.openSocket();
      expect((await added.reset())?.type, protocol).toBe("observation");
      if (act === "loop") expect(hasFailed, protocol).toBe(false);
      expect(await failure, protocol).toEqual(lostOrTimeout);
      const replies = await Promise.all(others.map((socket) => socket.step({ text: "more" })));
      const failed = replies.filter((reply) => reply?.type !== "observation");
      expect(failed.length, protocol).toBeLessThanOrEqual(2);
      for (const reply of failed) expect(reply?.data.message, protocol).toEqual(lost);
      // Until a process is replaced, the others share its episodes.
      await expect.poll(() => readyProcesses(server), { message: protocol }).toBe(8);
      for (const socket of others) {
        expect(socket.socket.readyState, protocol).toBe(WebSocket.OPEN);
        expect((await socket.reset())?.type, protocol).toBe("observation");
      }
      added.socket.close();
    }
  },
);
