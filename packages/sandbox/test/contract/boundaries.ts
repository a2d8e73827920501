import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Contract, limits, stillWorks, type Subject, within } from "./subject.ts";

/** Limits that code breaks. */
export function brokenLimits(subject: Subject): Contract {
  const { code } = subject;
  return {
    "ends an endless loop": () =>
      within(subject, async (sandbox) => {
        const result = await sandbox.run(code.loop, { ms: 300 });
        assert.equal(result.timedOut, true);
        assert.notEqual(result.exitCode, 0);
        await stillWorks(sandbox, code);
      }),
    "ends code that fills the memory": () =>
      within(
        subject,
        async (sandbox) => {
          const result = await sandbox.run(code.fillMemory, { ms: 20_000 });
          assert.notEqual(result.exitCode, 0);
          assert.equal(result.outOfMemory, true, JSON.stringify(result));
          await stillWorks(sandbox, code);
        },
        { limits: { ...limits, ms: 20_000 } },
      ),
    "cuts output": () =>
      within(subject, async (sandbox) => {
        const result = await sandbox.run(code.printForever);
        assert.equal(result.truncated, true);
        assert.ok(Buffer.byteLength(result.stdout) <= limits.output, `${result.stdout.length}`);
        await stillWorks(sandbox, code);
      }),
    "ends code that fills the disk": () =>
      within(subject, async (sandbox) => {
        const result = await sandbox.run(code.fillDisk);
        assert.notEqual(result.exitCode, 0);
        assert.equal(result.timedOut, false, "the disk has no end");
        await stillWorks(sandbox, code);
      }),
    ...(code.forkForever === undefined
      ? {}
      : {
          "survives a fork bomb": () =>
            within(subject, async (sandbox) => {
              await sandbox.run(code.forkForever!);
              await stillWorks(sandbox, code);
            }),
        }),
  };
}

/** Checks that code cannot reach the files, variables and addresses of others. */
export function escapes(subject: Subject): Contract {
  const { provider, code } = subject;
  return {
    "does not share variables and files with another sandbox": async () => {
      await using first = await provider.create({ limits });
      await using second = await provider.create({ limits });
      await first.run(code.setVariable);
      await first.run(code.writeFile("secret.txt", "plum"));
      for (const attempt of [code.printVariable, code.printFile("secret.txt")])
        assert.doesNotMatch((await second.run(attempt)).stdout, /plum/);
      await assert.rejects(second.read("secret.txt"));
    },
    "does not reach files of the host": async () => {
      const folder = await mkdtemp(join(tmpdir(), "sandbox-contract-"));
      try {
        const path = join(folder, "secret.txt");
        await writeFile(path, "plum");
        await within(subject, async (sandbox) => {
          for (const attempt of [path, `../../../../../../${path}`, `/proc/self/root${path}`]) {
            const { stdout } = await sandbox.run(code.printFile(attempt));
            assert.doesNotMatch(stdout, /plum/, attempt);
          }
        });
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    ...(code.attackProcess === undefined
      ? {}
      : {
          "does not reach a process of the host": async () => {
            const idle = ["-e", "setInterval(() => {}, 1000)"];
            const victim = spawn(process.execPath, idle, { env: { SECRET: "plum" } });
            try {
              await once(victim, "spawn");
              await within(subject, async (sandbox) => {
                const { stdout, stderr } = await sandbox.run(code.attackProcess!(victim.pid!));
                assert.doesNotMatch(stdout + stderr, /plum/);
                assert.deepEqual([victim.exitCode, victim.signalCode], [null, null]);
                await sandbox.run(code.print("still here"));
              });
              assert.ok(process.kill(victim.pid!, 0));
            } finally {
              victim.kill("SIGKILL");
            }
          },
        }),
    "does not reach the network": async () => {
      let connections = 0;
      const server = createServer((_request, response) => response.end("plum"));
      server.on("connection", () => (connections += 1));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const { port } = server.address() as AddressInfo;
        await within(subject, async (sandbox) => {
          const result = await sandbox.run(code.connect(port));
          assert.doesNotMatch(result.stdout, /plum/);
          assert.equal(connections, 0);
        });
      } finally {
        server.close();
      }
    },
  };
}
