import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";

import { serve, type ServeOptions } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";

const closing: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

async function start(
  options: ServeOptions = {},
  environments = [patient()] as Parameters<typeof serve>[0],
) {
  const server = await serve(environments, { port: 0, ...options });
  closing.push(server);
  return async (path?: string) => {
    const socket = await OpenenvSocket.open(server.url, path);
    closing.push(socket);
    return socket;
  };
}

const failure = (code: string, extra: object = {}) => ({
  type: "error",
  data: { code, message: expect.any(String) as string, ...extra },
});

describe("an error over a socket", () => {
  test("INVALID_JSON: the frame is no JSON, or binary", async () => {
    const socket = await (await start())();
    expect(await socket.ask("{")).toEqual(failure("INVALID_JSON"));
    expect(await socket.ask("")).toEqual(failure("INVALID_JSON"));
    expect(await socket.ask(Buffer.from('{"type":"reset"}'))).toEqual(failure("INVALID_JSON"));
    expect((await socket.reset())?.type).toBe("observation");
  });

  test("UNKNOWN_TYPE: there is no such frame", async () => {
    const socket = await (await start())();
    for (const frame of [{ type: "dance" }, { type: "constructor" }, { type: 5 }, {}])
      expect(await socket.ask(frame)).toEqual(failure("UNKNOWN_TYPE"));
    expect((await socket.reset())?.type).toBe("observation");
  });

  test("VALIDATION_ERROR: what does not fit, one by one", async () => {
    const socket = await (await start())();
    const errorsOf = async (frame: object) => {
      const answer = await socket.ask(frame);
      expect(answer).toEqual(
        failure("VALIDATION_ERROR", { errors: expect.any(Array) as unknown[] }),
      );
      return (answer!.data.errors as { type: string; loc: string[] }[]).map(({ type, loc }) => [
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
    expect(await errorsOf({ type: "step", data: { move: 5 } })).toEqual([
      ["missing", "data", "text"],
      ["extra_forbidden", "data", "move"],
    ]);
    expect(await errorsOf({ type: "step", data: { type: "call_tool", arguments: [] } })).toEqual([
      ["missing", "data", "tool_name"],
      ["type_error", "data", "arguments"],
    ]);
    expect(await errorsOf({ type: "step", data: { type: "jump" } })).toContainEqual([
      "literal_error",
      "data",
      "type",
    ]);
    expect(await errorsOf({ type: "state", data: {} })).toEqual([["extra_forbidden", "data"]]);
    expect(await errorsOf({ type: "mcp", data: "x" })).toEqual([["type_error", "data"]]);
    expect((await socket.reset())?.type).toBe("observation");
  });

  test("EXECUTION_ERROR: no episode, no such example, an environment that threw; nothing leaks", async () => {
    const socket = await (await start())();
    expect(await socket.step({ text: "a" })).toEqual(failure("EXECUTION_ERROR"));
    expect(await socket.reset({ index: 9 })).toEqual(failure("EXECUTION_ERROR"));
    expect(await socket.reset({ split: "none" })).toEqual(failure("EXECUTION_ERROR"));
    expect(await socket.reset({ id: "x" })).toEqual(failure("EXECUTION_ERROR"));
    await socket.reset();
    const thrown = await socket.step({ text: "throw" });
    expect(thrown).toEqual(failure("EXECUTION_ERROR"));
    expect(JSON.stringify(thrown)).not.toMatch(/s3cret|etc/u);
    expect((await socket.reset())?.type).toBe("observation");
  });

  test("CAPACITY_REACHED: as many sessions as allowed are open; the socket is closed", async () => {
    const open = await start({ sessions: 1 });
    const [silent, first] = [await open(), await open()];
    expect((await first.reset())?.type).toBe("observation");
    for (const frame of [{ type: "state" }, { type: "reset" }]) {
      const second = await open();
      expect(await second.ask("{")).toEqual(failure("INVALID_JSON"));
      expect(await second.ask(frame)).toEqual(
        failure("CAPACITY_REACHED", { active_sessions: 1, max_sessions: 1 }),
      );
      expect(await second.closed).toBe(1000);
    }
    // Whoever asks for nothing takes no place, and is not sent away.
    expect(await silent.ask("{")).toEqual(failure("INVALID_JSON"));
    expect((await first.step({ text: "a" }))?.type).toBe("observation");
  });

  test("FACTORY_ERROR: the environment broke while an episode began; the socket is closed", async () => {
    const module = new URL("fixtures/fragile.ts", import.meta.url).href;
    const open = await start({ threads: 1 }, [{ module }]);
    const socket = await open();
    expect((await socket.reset({ index: 0 }))?.type).toBe("observation");
    expect(await socket.reset({ index: 1 })).toEqual(
      failure("FACTORY_ERROR", { factory_name: "fragile" }),
    );
    expect(await socket.closed).toBe(1000);
    expect((await (await open()).reset({ index: 0 }))?.type).toBe("observation");
  });

  test("SESSION_ERROR: there is no such session; the socket is closed", async () => {
    const socket = await (await start())("/ws?session_id=nobody");
    expect(await socket.next()).toEqual(failure("SESSION_ERROR"));
    expect(await socket.closed).toBe(1000);
  });

  test("a frame of more than 100 MB closes the socket, and only that", async () => {
    const open = await start();
    const [other, socket] = [await open(), await open()];
    await other.reset();
    socket.send(Buffer.alloc(100 * 2 ** 20 + 1));
    expect(await socket.closed).toBe(1009);
    expect((await other.step({ text: "a" }))?.type).toBe("observation");
  });

  test("a huge text is served, and deep JSON refused", async () => {
    const socket = await (await start())();
    await socket.reset();
    const text = "x".repeat(5_000_000);
    expect((await socket.step({ text }))?.data.observation).toEqual({ text: `You said ${text}.` });
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const call = (text: string) =>
      `{"type":"step","data":{"tool_name":"respond","type":"call_tool","arguments":{"text":${text}}}}`;
    const { data } = (await socket.ask(call(nested(400))))!;
    expect(data).toMatchObject({ observation: { result: null } });
    const said = await socket.ask(`{"type":"step","data":{"text":${nested(400)}}}`);
    expect(said?.data.observation).toEqual({ text: `You said ${nested(400)}.` });
    for (const frame of [call(nested(200_000)), `{"type":"step","data":${nested(200_000)}}`])
      expect(await socket.ask(frame)).toMatchObject(failure("VALIDATION_ERROR"));
    expect((await socket.reset())?.type).toBe("observation");
  });
});

describe("whatever frames come", () => {
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

  test("each is answered once and in order; rewards come only with an end, once an episode", async () => {
    const open = await start();
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 40 }), async (frames) => {
        const socket = await open();
        for (const each of frames) socket.send(each);
        socket.send({ type: "state" });
        let rewards = 0;
        let resets = 0;
        for (const each of frames) {
          const answer = await socket.next();
          expect(["error", "observation", "state", "mcp"]).toContain(answer?.type);
          if (answer?.type !== "observation") continue;
          if ((JSON.parse(each) as { type: string }).type === "reset") resets += 1;
          if (answer.data.reward !== null) {
            rewards += 1;
            expect(answer.data).toMatchObject({ done: true, observation: { stop_reason: "end" } });
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
