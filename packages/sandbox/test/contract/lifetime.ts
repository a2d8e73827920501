import assert from "node:assert/strict";

import { type Contract, limits, stillWorks, type Subject, succeeded, within } from "./subject.ts";

/** Sandboxes that end, and several at once. */
export function lifetime(subject: Subject): Contract {
  const { provider, code } = subject;
  return {
    "can be closed twice, and rejects runs afterwards": async () => {
      const sandbox = await provider.create({ limits });
      await sandbox[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
      await assert.rejects(sandbox.run(code.print("late")), /closed/);
    },
    "ends a run when it is closed": async () => {
      const sandbox = await provider.create({ limits: { ...limits, ms: 60_000 } });
      const run = assert.rejects(sandbox.run(code.loop), /closed/);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await sandbox[Symbol.asyncDispose]();
      await run;
    },
    "rejects with the reason when the signal of a run aborts": () =>
      within(
        subject,
        async (sandbox) => {
          const controller = new AbortController();
          const reason = new Error("the rollout ended");
          const run = sandbox.run(code.loop, { signal: controller.signal });
          setTimeout(() => controller.abort(reason), 50);
          await assert.rejects(run, reason);
          await stillWorks(sandbox, code);
        },
        { limits: { ...limits, ms: 60_000 } },
      ),
    "ends with the signal of its options": async () => {
      const controller = new AbortController();
      const reason = new Error("the rollout ended");
      const options = { limits: { ...limits, ms: 60_000 }, signal: controller.signal };
      await using sandbox = await provider.create(options);
      const run = assert.rejects(sandbox.run(code.loop), reason);
      setTimeout(() => controller.abort(reason), 50);
      await run;
      await assert.rejects(sandbox.run(code.print("late")));
    },
    "runs one program after the other": () =>
      within(subject, async (sandbox) => {
        const runs = ["1", "2", "3"].map((text) => sandbox.run(code.print(text)));
        const results = await Promise.all(runs);
        assert.deepEqual(results.map(succeeded), ["1", "2", "3"]);
      }),
    "runs concurrently with others": async () => {
      const texts = Array.from({ length: 6 }, (_, index) => `sandbox ${index}`);
      const results = await Promise.all(
        texts.map(async (text) => {
          await using sandbox = await provider.create({ limits });
          return succeeded(await sandbox.run(code.print(text)));
        }),
      );
      assert.deepEqual(results, texts);
    },
  };
}

/** Functions of the host that code calls. */
export function hostFunctions(subject: Subject): Contract {
  const { code } = subject;
  return {
    "calls functions of the host, and waits for them": () =>
      within(
        subject,
        async (sandbox) => {
          assert.equal(succeeded(await sandbox.run(code.callFunction("ask", "é"))), "you said é");
          const { stdout } = await sandbox.run(code.callFunction("refuse", "x"));
          assert.match(stdout, /not today/);
        },
        {
          functions: {
            ask: async (text) => `you said ${text as string}`,
            refuse: () => {
              throw new Error("not today");
            },
          },
        },
      ),
    "does not wait for a function of the host after an abort": () =>
      within(
        subject,
        async (sandbox) => {
          const controller = new AbortController();
          const reason = new Error("the rollout ended");
          const { signal } = controller;
          const run = sandbox.run(code.callFunction("hang", "x"), { signal });
          setTimeout(() => controller.abort(reason), 50);
          await assert.rejects(run, reason);
        },
        { functions: { hang: () => new Promise(() => {}) } },
      ),
    "does not count the time of functions of the host": () =>
      within(
        subject,
        async (sandbox) => {
          const result = await sandbox.run(code.callFunction("think", "x"), { ms: 300 });
          assert.equal(succeeded(result), "thought");
        },
        {
          functions: {
            think: async () => {
              await new Promise((resolve) => setTimeout(resolve, 1000));
              return "thought";
            },
          },
        },
      ),
  };
}
