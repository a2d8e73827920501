import fc from "fast-check";
import { describe, expect } from "vitest";

import { patient } from "./fixtures/patient.ts";
import { stage } from "./fixtures/stage.ts";
import { test } from "./support/test-server.ts";

const errorFrame = (code: string, extra: object = {}) => ({
  type: "error",
  data: { code, message: expect.any(String) as string, ...extra },
});

describe("an error frame", () => {
  test("has INVALID_JSON for text that is not JSON, and for binary frames", async ({
    startServer,
  }) => {
    const { openSocket } = await startServer([patient()]);
    const socket = await openSocket();
    expect(await socket.request("{")).toEqual(errorFrame("INVALID_JSON"));
    expect(await socket.request("")).toEqual(errorFrame("INVALID_JSON"));
    expect(await socket.request(Buffer.from('{"type":"reset"}'))).toEqual(
      errorFrame("INVALID_JSON"),
    );
    expect((await socket.reset())?.type).toBe("observation");
  });

  test("has UNKNOWN_TYPE for an unknown frame type", async ({ startServer }) => {
    const { openSocket } = await startServer([patient()]);
    const socket = await openSocket();
    for (const frame of [{ type: "unknown" }, { type: "constructor" }, { type: 5 }, {}])
      expect(await socket.request(frame)).toEqual(errorFrame("UNKNOWN_TYPE"));
    expect((await socket.reset())?.type).toBe("observation");
  });

  test("has VALIDATION_ERROR and a list of invalid fields", async ({ startServer }) => {
    const { openSocket } = await startServer([patient()]);
    const socket = await openSocket();
    const errorsOf = async (frame: object) => {
      const response = await socket.request(frame);
      expect(response).toEqual(
        errorFrame("VALIDATION_ERROR", { errors: expect.any(Array) as unknown[] }),
      );
      return (response!.data.errors as { type: string; loc: string[] }[]).map(({ type, loc }) => [
        type,
        ...loc,
      ]);
    };
    expect(await errorsOf([])).toEqual([["type_error"]]);
    expect(await errorsOf({ type: "reset", data: { indx: 1 } })).toEqual([
      ["extra_forbidden", "data", "indx"],
    ]);
    expect(await errorsOf({ type: "reset", data: { seed: -1 } })).toEqual([
      ["value_error", "data", "seed"],
    ]);
    expect(await errorsOf({ type: "reset", id: 1 })).toEqual([["extra_forbidden", "id"]]);
    expect(await errorsOf({ type: "step" })).toEqual([["missing", "data"]]);
    expect(await errorsOf({ type: "step", data: { metadata: 5 } })).toEqual([
      ["missing", "data", "text"],
      ["type_error", "data", "metadata"],
    ]);
    expect(await errorsOf({ type: "step", data: { type: "call_tool", arguments: [] } })).toEqual([
      ["missing", "data", "tool_name"],
      ["type_error", "data", "arguments"],
    ]);
    expect(await errorsOf({ type: "step", data: { type: "list_tools", all: true } })).toEqual([
      ["extra_forbidden", "data", "all"],
    ]);
    expect(await errorsOf({ type: "state", data: {} })).toEqual([["extra_forbidden", "data"]]);
    expect(await errorsOf({ type: "mcp", data: "x" })).toEqual([["type_error", "data"]]);
    expect((await socket.reset())?.type).toBe("observation");
  });

  test("has EXECUTION_ERROR without details if the action or the environment fails", async ({
    startServer,
  }) => {
    const { openSocket } = await startServer([patient()]);
    const socket = await openSocket();
    expect(await socket.step({ text: "a" })).toEqual(errorFrame("EXECUTION_ERROR"));
    expect(await socket.reset({ index: 9 })).toEqual(errorFrame("EXECUTION_ERROR"));
    expect(await socket.reset({ split: "none" })).toEqual(errorFrame("EXECUTION_ERROR"));
    expect(await socket.reset({ id: "x" })).toEqual(errorFrame("EXECUTION_ERROR"));
    await socket.reset();
    const thrown = await socket.step({ text: "throw" });
    expect(thrown).toEqual(errorFrame("EXECUTION_ERROR"));
    expect(JSON.stringify(thrown)).not.toMatch(/s3cret|etc/u);
    expect((await socket.reset())?.type).toBe("observation");
  });

  test("has CAPACITY_REACHED at the session limit, and closes the socket", async ({
    startServer,
  }) => {
    const { openSocket } = await startServer([patient()], { sessions: 1 });
    const [idle, first] = [await openSocket(), await openSocket()];
    expect((await first.reset())?.type).toBe("observation");
    for (const frame of [{ type: "state" }, { type: "reset" }]) {
      const second = await openSocket();
      expect(await second.request("{")).toEqual(errorFrame("INVALID_JSON"));
      expect(await second.request(frame)).toEqual(
        errorFrame("CAPACITY_REACHED", { active_sessions: 1, max_sessions: 1 }),
      );
      expect(await second.closed).toBe(1000);
    }
    // An idle socket does not use a session, so it stays open.
    expect(await idle.request("{")).toEqual(errorFrame("INVALID_JSON"));
    expect((await first.step({ text: "a" }))?.type).toBe("observation");
  });

  test("has FACTORY_ERROR if a reset exceeds the time limit, and closes the socket", async ({
    startServer,
  }) => {
    const { openSocket } = await startServer([stage()], { stepTimeout: 100 });
    const socket = await openSocket();
    expect((await socket.reset({ index: 0 }))?.type).toBe("observation");
    expect(await socket.reset({ index: 1 })).toEqual(
      errorFrame("FACTORY_ERROR", { factory_name: "stage" }),
    );
    expect(await socket.closed).toBe(1000);
    expect((await (await openSocket()).reset({ index: 0 }))?.type).toBe("observation");
  });

  test("has CAPACITY_REACHED once the server shuts down, while open episodes may end", async ({
    startServer,
  }) => {
    const { openSocket, close, url } = await startServer([patient()], { drain: 30_000 });
    const [playing, idle] = [await openSocket(), await openSocket()];
    await playing.reset();
    const closing = close();
    expect(await idle.reset()).toEqual(errorFrame("CAPACITY_REACHED"));
    const health = await fetch(`${url}/health`);
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({ status: "draining" });
    const stateless = await fetch(`${url}/reset`, { method: "POST" });
    expect([stateless.status, stateless.headers.get("retry-after")]).toEqual([503, "5"]);
    await expect(openSocket()).rejects.toThrow("503");
    expect(await playing.step({ text: "end" })).toMatchObject({ data: { reward: 1 } });
    expect(await playing.closed).toBe(1001);
    await closing;
  });

  test("has SESSION_ERROR for an unknown session, and closes the socket", async ({
    startServer,
  }) => {
    const { openSocket } = await startServer([patient()]);
    const socket = await openSocket("/ws?session_id=unknown");
    expect(await socket.next()).toEqual(errorFrame("SESSION_ERROR"));
    expect(await socket.closed).toBe(1000);
  });

  test("is not sent for a frame above 100 MiB, which closes the socket", async ({
    startServer,
  }) => {
    const { openSocket } = await startServer([patient()]);
    const [other, socket] = [await openSocket(), await openSocket()];
    await other.reset();
    socket.send(Buffer.alloc(100 * 2 ** 20 + 1));
    expect(await socket.closed).toBe(1009);
    expect((await other.step({ text: "a" }))?.type).toBe("observation");
  });

  test("has VALIDATION_ERROR for deeply nested JSON, but not for a long text", async ({
    startServer,
  }) => {
    const { openSocket } = await startServer([patient()]);
    const socket = await openSocket();
    await socket.reset();
    const text = "x".repeat(5_000_000);
    expect((await socket.step({ text }))?.data.observation).toEqual({ text: `You said ${text}.` });
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const call = (text: string) =>
      `{"type":"step","data":{"tool_name":"respond","type":"call_tool","arguments":{"text":${text}}}}`;
    const { data } = (await socket.request(call(nested(400))))!;
    expect(data).toMatchObject({ observation: { result: null } });
    const reply = await socket.request(`{"type":"step","data":{"text":${nested(400)}}}`);
    expect(reply?.data.observation).toEqual({ text: `You said ${nested(400)}.` });
    for (const frame of [call(nested(200_000)), `{"type":"step","data":${nested(200_000)}}`])
      expect(await socket.request(frame)).toMatchObject(errorFrame("VALIDATION_ERROR"));
    expect((await socket.reset())?.type).toBe("observation");
  });
});

describe("any sequence of frames", () => {
  const anything = fc.oneof(
    fc.json(),
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  );
  const data = fc.oneof(
    fc.record({ text: fc.jsonValue() }),
    fc.record(
      { type: fc.constantFrom("list_tools", "call_tool", "x"), tool_name: fc.string() },
      { requiredKeys: [] },
    ),
    fc.constant({ text: "end" }),
    fc.constant({ text: "throw" }),
    fc.constant({ seed: 3 }),
    fc.dictionary(fc.string(), fc.jsonValue()),
  );
  const frame = fc.oneof(
    anything,
    fc
      .record(
        { type: fc.constantFrom("reset", "step", "state", "mcp", "x"), data },
        { requiredKeys: ["type"] },
      )
      .map((value) => JSON.stringify(value)),
    fc.constant('{"type":"reset"}'),
    fc.constant('{"type":"step","data":{"text":"a"}}'),
  );

  test("gets one response for each frame in order, and at most one reward for each episode", async ({
    startServer,
  }) => {
    const { openSocket } = await startServer([patient()]);
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 40 }), async (frames) => {
        const socket = await openSocket();
        for (const text of frames) socket.send(text);
        socket.send({ type: "state" });
        let rewards = 0;
        let resets = 0;
        for (const text of frames) {
          const response = await socket.next();
          expect(["error", "observation", "state", "mcp"]).toContain(response?.type);
          if (response?.type !== "observation") continue;
          if ((JSON.parse(text) as { type: string }).type === "reset") resets += 1;
          if (response.data.reward !== null) {
            rewards += 1;
            expect(response.data).toMatchObject({
              done: true,
              observation: { stop_reason: "end" },
            });
          }
        }
        expect(rewards).toBeLessThanOrEqual(resets);
        expect((await socket.next())?.type).toBe("state");
        await socket[Symbol.asyncDispose]();
      }),
      { numRuns: 60 },
    );
  });
});
