import { describe, expect, it, onTestFinished } from "vitest";

import { shell } from "../src/shell/shell.ts";
import { sandboxContract } from "./contract/contract.ts";

const provider = shell({ native: true });

describe("programs", () => {
  it.each(Object.entries(sandboxContract(provider)))("%s", async (_, check) => {
    await expect(check()).resolves.toBeUndefined();
  });

  it("ends every process of a run with it", async () => {
    const sandbox = await provider.create({ limits: { ms: 5000 } });
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    await sandbox.run("(sleep 1; echo late > late.txt) & disown");
    await sandbox.run("sleep 1.5");
    await expect(sandbox.read("late.txt")).rejects.toThrow("no file late.txt");
  });

  it("returns characters whole whose bytes arrive in two parts", async () => {
    const sandbox = await provider.create({ limits: { output: 1_000_000 } });
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    const { stdout } = await sandbox.run(
      "printf é; sleep 0.2; printf '\\303'; sleep 0.2; printf '\\251'",
    );
    expect(stdout).toBe("éé");
  });

  it("does not limit one sandbox by the processes of another", async () => {
    const limits = { processes: 12, ms: 10_000 };
    const code = "for i in 1 2 3 4 5 6 7 8; do sleep 0.5 & done; wait; echo all";
    const results = await Promise.all(
      [1, 2, 3].map(async () => {
        const sandbox = await provider.create({ limits });
        onTestFinished(() => sandbox[Symbol.asyncDispose]());
        return await sandbox.run(code);
      }),
    );
    expect(results.map(({ stdout }) => stdout)).toEqual(["all\n", "all\n", "all\n"]);
  });
});
