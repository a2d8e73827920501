import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { isConfigError, isRolloutError } from "@envs/core/engine";
import { afterEach, describe, expect, test } from "vitest";

import { ServeError } from "../src/errors.ts";
import { type Hosts, startHosts } from "../src/host/start-hosts.ts";
import { serve } from "../src/index.ts";
import type { Session } from "../src/sessions/session.ts";
import { Sessions } from "../src/sessions/sessions.ts";

const module = new URL("fixtures/demanding.ts", import.meta.url).href;
const say = (content: string) => ({ role: "assistant", content }) as const;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function threaded(threads: number) {
  const failures: unknown[] = [];
  const onFailure = (cause: unknown) => failures.push(cause);
  const hosts: Hosts = await startHosts([{ module, version: "1.2.3" }], {
    seed: 0,
    threads,
    onFailure,
  });
  const sessions = new Sessions({ maxSessions: 100, idleTimeoutMs: 60_000 }, 0);
  closing.push(
    () => hosts[Symbol.asyncDispose](),
    () => sessions.closeAll(),
  );
  const open = (): Session => sessions.open(hosts.all[0]!);
  return { open, sessions, failures, host: hosts.all[0]! };
}

const codeOf = (code: string) => (error: unknown) =>
  error instanceof ServeError && error.code === code;

describe("episodes in threads", () => {
  test("are those of the environment that a reference names", async () => {
    const { open, host } = await threaded(2);
    expect(host.card).toMatchObject({
      name: "demanding",
      version: "1.2.3",
      maxTurns: 4,
      splits: [{ name: "train", size: 5 }],
    });
    const session = open();
    const opening = await session.reset({ index: 3 });
    expect(opening.messages).toEqual([{ role: "user", content: "Demand 3." }]);
    expect((await session.step(say("more"))).messages).toMatchObject([{ content: "Go on." }]);
    const last = await session.step(say("think"));
    expect(last).toMatchObject({ isDone: true, outcome: { reward: 1, stopReason: "end" } });
    expect(await session.finish()).toEqual(last.outcome);
  });

  test("come in the order of the dataset, whichever thread plays them", async () => {
    const { open } = await threaded(3);
    const sessions = Array.from({ length: 7 }, open);
    await Promise.all(sessions.map((session) => session.reset({})));
    expect(sessions.map(({ task }) => task?.index)).toEqual([0, 1, 2, 3, 4, 0, 1]);
  });

  test("that score slowly hold up neither this thread nor those of other threads", async () => {
    const { open } = await threaded(2);
    const [slow, quick] = [open(), open()];
    await slow.reset({});
    await quick.reset({});
    const folder = await mkdtemp(join(tmpdir(), "envs-threads-"));
    closing.push(() => rm(folder, { recursive: true }));
    const enough = join(folder, "enough");
    let isThinking = true;
    const thinking = slow.step(say(`think until ${enough}`)).finally(() => (isThinking = false));
    await wait(100);
    await quick.step(say("more"));
    await open().reset({});
    expect(isThinking).toBe(true);
    await writeFile(enough, "");
    expect(await thinking).toMatchObject({ outcome: { reward: 1 } });
  });

  test("fail with the errors that they would fail with here", async () => {
    const { open } = await threaded(1);
    const session = open();
    await expect(session.reset({ index: 9 })).rejects.toSatisfy(codeOf("unknown-task"));
    await expect(session.reset({ split: "no" })).rejects.toSatisfy(codeOf("unknown-split"));
    await expect(session.step(say("hi"))).rejects.toSatisfy(codeOf("no-episode"));
    await session.reset({});
    const failed = await session.step(say("throw")).catch((error: unknown) => error);
    expect(failed).toSatisfy(isRolloutError);
    expect(failed).toMatchObject({
      code: "environment",
      message: expect.stringContaining("s3cret"),
      stack: expect.stringContaining("demanding.ts"),
    });
  });

  test("are cancelled when their session closes", async () => {
    const { open, sessions } = await threaded(1);
    const session = open();
    await session.reset({});
    const waiting = session.step(say("wait"));
    await wait(50);
    await sessions.close(session);
    await expect(waiting).rejects.toThrow("The session was closed.");
  });

  test("are lost with their thread, alone, and another thread takes its place", async () => {
    const { open, failures } = await threaded(2);
    const [dying, other] = [open(), open()];
    await dying.reset({});
    await other.reset({});
    await expect(dying.step(say("exit"))).rejects.toSatisfy(codeOf("lost"));
    await expect(dying.step(say("more"))).rejects.toThrow("Reset to start another");
    expect(failures).toMatchObject([{ message: "The thread exited with code 3." }]);
    expect(await other.step(say("think"))).toMatchObject({ isDone: true });
    await dying.reset({});
    expect(await dying.step(say("think"))).toMatchObject({ isDone: true });
  });

  test("survive the only thread's end in new ones, also when nobody waited for what failed", async () => {
    const { open, failures } = await threaded(1);
    const session = open();
    for (const reply of ["reject", "exit", "reject"]) {
      await session.reset({});
      await session.step(say(reply)).catch(() => undefined);
      await expect.poll(async () => session.step(say("more")).catch(() => "gone")).toBe("gone");
    }
    await session.reset({});
    expect(await session.step(say("think"))).toMatchObject({ isDone: true });
    expect(failures).toHaveLength(3);
  });

  test("that never end do not keep a server from ending", async () => {
    const { open, sessions } = await threaded(1);
    const session = open();
    await session.reset({});
    const looping = session.step(say("loop")).catch((error: unknown) => error);
    await wait(50);
    await sessions.closeAll();
    await closing[0]!();
    expect(await looping).toSatisfy(codeOf("closed"));
  }, 15_000);
});

describe("a server of references", () => {
  test("serves them beside each other, with their configs", async () => {
    await using server = await serve(
      [{ module, config: { examples: 2 } }, { module: "@envs/reverse-text" }],
      { port: 0, threads: 1 },
    );
    const names = await fetch(`${server.url}/list_environments`);
    expect(await names.json()).toEqual(["demanding", "reverse-text"]);
  });

  test.each([0, 1])("says what is wrong with them, with %i threads", async (threads) => {
    const served = (reference: Parameters<typeof serve>[0][number]) =>
      serve([reference], { port: 0, threads });
    await expect(served({ module: "@envs/nothing" })).rejects.toSatisfy(isConfigError);
    await expect(served({ module: "node:fs" })).rejects.toThrow("does not export an environment");
    const refused = served({ module, config: { examples: 0 } });
    await expect(refused).rejects.toSatisfy(isConfigError);
    await expect(refused).rejects.toThrow("examples");
  });
});
