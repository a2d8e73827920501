import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { isConfigError, isRolloutError } from "@envs/core/engine";
import { describe, expect } from "vitest";

import { ServeError } from "../src/errors.ts";
import { startHosts } from "../src/host/start-hosts.ts";
import { serve } from "../src/index.ts";
import type { Session } from "../src/sessions/session.ts";
import { startSessions } from "./support/start-sessions.ts";
import { test as serverTest } from "./support/test-server.ts";

const module = new URL("fixtures/demanding.ts", import.meta.url).href;
const reply = (content: string) => ({ role: "assistant", content }) as const;

const test = serverTest.extend("startThreads", ({ cleanup }) => {
  return async (threads: number) => {
    const failures: unknown[] = [];
    const onFailure = (cause: unknown) => failures.push(cause);
    const reference = { module, version: "1.2.3" };
    const hosts = cleanup.use(await startHosts([reference], { seed: 0, threads, onFailure }));
    const sessions = startSessions(100);
    cleanup.defer(() => sessions.closeAll());
    const open = (): Promise<Session> => sessions.open(hosts.all[0]!);
    return { open, sessions, failures, hosts, host: hosts.all[0]! };
  };
});

const codeOf = (code: string) => (error: unknown) =>
  error instanceof ServeError && error.code === code;

describe("episodes in threads", () => {
  test("play the environment of a reference", async ({ startThreads }) => {
    const { open, host } = await startThreads(2);
    expect(host.card).toMatchObject({
      name: "demanding",
      version: "1.2.3",
      maxTurns: 4,
      splits: [{ name: "train", size: 5 }],
    });
    const session = await open();
    const opening = await session.reset({ index: 3 });
    expect(opening.messages).toEqual([{ role: "user", content: "Demand 3." }]);
    expect((await session.step(reply("more"))).messages).toMatchObject([{ content: "Go on." }]);
    const last = await session.step(reply("think"));
    expect(last).toMatchObject({ isDone: true, outcome: { reward: 1, stopReason: "end" } });
    expect(await session.finish()).toEqual(last.outcome);
  });

  test("follow the order of the dataset, whichever thread plays them", async ({ startThreads }) => {
    const { open } = await startThreads(3);
    const sessions = await Promise.all(Array.from({ length: 7 }, open));
    await Promise.all(sessions.map((session) => session.reset({})));
    expect(sessions.map(({ task }) => task?.index)).toEqual([0, 1, 2, 3, 4, 0, 1]);
  });

  test("do not delay this thread or other threads while they compute a score", async ({
    startThreads,
    cleanup,
  }) => {
    const { open } = await startThreads(2);
    const [slow, quick] = [await open(), await open()];
    await slow.reset({});
    await quick.reset({});
    const folder = await mkdtemp(join(tmpdir(), "envs-threads-"));
    cleanup.defer(() => rm(folder, { recursive: true }));
    const signalFile = join(folder, "signal");
    let isThinking = true;
    const thinking = slow
      .step(reply(`think until ${signalFile}`))
      .finally(() => (isThinking = false));
    await wait(100);
    await quick.step(reply("more"));
    await (await open()).reset({});
    expect(isThinking).toBe(true);
    await writeFile(signalFile, "");
    expect(await thinking).toMatchObject({ outcome: { reward: 1 } });
  });

  test("fail with the same errors as in this thread", async ({ startThreads }) => {
    const { open } = await startThreads(1);
    const session = await open();
    await expect(session.reset({ index: 9 })).rejects.toSatisfy(codeOf("unknown-task"));
    await expect(session.reset({ split: "no" })).rejects.toSatisfy(codeOf("unknown-split"));
    await expect(session.step(reply("hi"))).rejects.toSatisfy(codeOf("no-episode"));
    await session.reset({});
    const failed = await session.step(reply("throw")).catch((error: unknown) => error);
    expect(failed).toSatisfy(isRolloutError);
    expect(failed).toMatchObject({
      code: "environment",
      message: expect.stringContaining("s3cret"),
      stack: expect.stringContaining("demanding.ts"),
    });
  });

  test("are cancelled when their session closes", async ({ startThreads }) => {
    const { open, sessions } = await startThreads(1);
    const session = await open();
    await session.reset({});
    const cancelled = expect(session.step(reply("wait"))).rejects.toThrow(
      "The session was closed.",
    );
    await wait(50);
    await sessions.close(session);
    await cancelled;
  });

  test("are lost with their thread, which another thread replaces", async ({ startThreads }) => {
    const { open, failures } = await startThreads(2);
    const [dying, other] = [await open(), await open()];
    await dying.reset({});
    await other.reset({});
    await expect(dying.step(reply("exit"))).rejects.toSatisfy(codeOf("lost"));
    await expect(dying.step(reply("more"))).rejects.toThrow("Reset to start another");
    expect(failures).toMatchObject([{ message: "The thread exited with code 3." }]);
    expect(await other.step(reply("think"))).toMatchObject({ isDone: true });
    await dying.reset({});
    expect(await dying.step(reply("think"))).toMatchObject({ isDone: true });
  });

  test("start in a new thread after the only thread has ended, even by an unhandled rejection", async ({
    startThreads,
  }) => {
    const { open, failures } = await startThreads(1);
    const session = await open();
    for (const text of ["reject", "exit", "reject"]) {
      await session.reset({});
      await session.step(reply(text)).catch(() => undefined);
      await expect.poll(async () => session.step(reply("more")).catch(() => "gone")).toBe("gone");
    }
    await session.reset({});
    expect(await session.step(reply("think"))).toMatchObject({ isDone: true });
    expect(failures).toHaveLength(3);
  });

  test("do not prevent a server from closing while they loop", async ({ startThreads }) => {
    const { open, sessions, hosts } = await startThreads(1);
    const session = await open();
    await session.reset({});
    const looping = session.step(reply("loop")).catch((error: unknown) => error);
    await wait(50);
    await sessions.closeAll();
    await hosts[Symbol.asyncDispose]();
    expect(await looping).toSatisfy(codeOf("closed"));
  }, 15_000);
});

describe("a server of references", () => {
  test("serves several references with their configs", async () => {
    await using server = await serve(
      [{ module, config: { examples: 2 } }, { module: "@envs/reverse-text" }],
      { port: 0, threads: 1 },
    );
    const names = await fetch(`${server.url}/list_environments`);
    expect(await names.json()).toEqual(["demanding", "reverse-text"]);
  });

  test.each([0, 1])("rejects invalid references, with %i threads", async (threads) => {
    const serveReference = (reference: Parameters<typeof serve>[0][number]) =>
      serve([reference], { port: 0, threads });
    await expect(serveReference({ module: "@envs/nothing" })).rejects.toSatisfy(isConfigError);
    await expect(serveReference({ module: "node:fs" })).rejects.toThrow(
      "does not export an environment",
    );
    const starting = serveReference({ module, config: { examples: 0 } });
    await expect(starting).rejects.toSatisfy(isConfigError);
    await expect(starting).rejects.toThrow("examples");
  });
});
