import { spawn } from "node:child_process";
import { once } from "node:events";

import { Sandbox as E2B } from "@e2b/code-interpreter";
import { describe, expect, it, onTestFinished } from "vitest";

import { javascript } from "../src/javascript/javascript.ts";
import { ownerLabel, ownerOf } from "../src/owner.ts";
import type { RemoteClient, RemoteDirectory, RemoteMachine } from "../src/remote/client.ts";
import { leftoverMachines } from "../src/remote/leftovers.ts";
import { remote } from "../src/remote/remote.ts";
import type { RunResult, Sandbox } from "../src/sandbox.ts";
import { sandboxContract } from "./contract/contract.ts";

/** Checks at compile time that E2B's class has the part that `remote` uses. */
const client: RemoteClient & RemoteDirectory = E2B;

interface Service extends RemoteClient {
  readonly created: object[];
  killed: number;
}

const engine = javascript();

/** A service as E2B documents it: errors of code are data, output arrives by callbacks, a killed machine answers no more. */
function service(): Service {
  return {
    created: [],
    killed: 0,
    async create(options) {
      this.created.push(options);
      const limits = {
        ms: 60_000,
        memory: 64 * 1024 ** 2,
        output: 4 * 1024 ** 2,
        disk: 4 * 1024 ** 2,
      };
      const sandbox = await engine.create({ limits });
      return machine(sandbox, () => {
        this.killed += 1;
      });
    },
  };
}

function machine(sandbox: Sandbox, onKill: () => void): RemoteMachine {
  return {
    async runCode(code, { onStdout, onStderr }) {
      const result = await sandbox.run(code);
      if (result.stdout !== "") onStdout({ line: result.stdout });
      if (result.exitCode !== 0) return { results: [], error: errorOf(result) };
      if (result.stderr !== "") onStderr({ line: result.stderr });
      return { results: [{ isMainResult: true, json: result.value }] };
    },
    files: {
      read: (path) => sandbox.read(path),
      write: (path, content) =>
        sandbox.write(path, typeof content === "string" ? content : new Uint8Array(content)),
    },
    async kill() {
      onKill();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

function errorOf({ stderr }: RunResult) {
  const [, name = "Error", value = ""] = /^(\w+): (.*)/.exec(stderr) ?? [];
  return { name, value, traceback: stderr };
}

const { "passes standard input": _, ...contract } = sandboxContract(
  remote(service(), { language: "javascript" }),
);

describe("remote", () => {
  it.each(Object.entries(contract))("%s", async (_title, check) => {
    await expect(check()).resolves.toBeUndefined();
  });

  it("accepts the client of E2B", async () => {
    await expect(remote(client).check()).resolves.toBeUndefined();
  });

  it("requests a machine without network, with a lifetime after which the service ends it", async () => {
    const fake = service();
    const sandbox = await remote(fake, { lifetime: 5000 }).create();
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    expect(fake.created).toEqual([
      {
        timeoutMs: 5000,
        allowInternetAccess: false,
        metadata: { [ownerLabel]: ownerOf(process.pid) },
      },
    ]);
  });

  it("ends the machine of a run that does not end, and starts another one with the files", async () => {
    const fake = service();
    const provider = remote(fake, { language: "javascript" });
    const sandbox = await provider.create({ files: { "a.txt": "plum" }, limits: { ms: 200 } });
    expect(await sandbox.run("for (;;);")).toMatchObject({ timedOut: true, reset: true });
    const next = await sandbox.run("require('fs').readFileSync('a.txt')", { ms: 5000 });
    expect(next).toMatchObject({ value: "plum", reset: false });
    await sandbox[Symbol.asyncDispose]();
    expect([fake.created.length, fake.killed]).toEqual([2, 2]);
  });

  it("names the service when it does not start a machine", async () => {
    const broken: RemoteClient = {
      create: () => Promise.reject(new Error("401: invalid API key")),
    };
    await expect(remote(broken).create()).rejects.toThrow(
      "The service did not start a machine: 401: invalid API key",
    );
  });

  it("finds machines of ended processes of this computer on every page, and no others", async () => {
    const dead = spawn(process.execPath, ["-e", ""]);
    await once(dead, "exit");
    const owners = [ownerOf(process.pid), ownerOf(dead.pid!), `another:${dead.pid}`, undefined];
    const pages = [owners.slice(0, 2), owners.slice(2)];
    const killed: string[] = [];
    const directory: RemoteDirectory = {
      list() {
        let page = 0;
        return {
          get hasNext() {
            return page < pages.length;
          },
          async nextItems() {
            return pages[page++]!.map((owner) => ({
              sandboxId: `machine of ${owner}`,
              metadata:
                owner === undefined ? ({} as Record<string, string>) : { [ownerLabel]: owner },
            }));
          },
        };
      },
      kill: async (id) => killed.push(id),
    };
    for (const leftover of await leftoverMachines(directory)) await leftover.remove();
    expect(killed).toEqual([`machine of ${ownerOf(dead.pid!)}`]);
  });

  it("rejects standard input, which the service does not have", async () => {
    const sandbox = await remote(service()).create();
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    await expect(sandbox.run("1", { stdin: "a" })).rejects.toThrow("no standard input");
  });
});
