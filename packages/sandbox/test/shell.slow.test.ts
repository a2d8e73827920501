import { describe, expect, it, onTestFinished } from "vitest";

import { shell } from "../src/shell/shell.ts";
import { sandboxContract } from "./contract/contract.ts";

const provider = shell();

describe("shell", () => {
  it.each(Object.entries(sandboxContract(provider)))("%s", async (_, check) => {
    await expect(check()).resolves.toBeUndefined();
  });

  it("passes the words of a command to a function of the host, and prints values as JSON", async () => {
    const sandbox = await provider.create({ functions: { join: (...words) => ({ words }) } });
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    const { stdout } = await sandbox.run("join 'a b' c | jq -r '.words[]'");
    expect(stdout).toBe("a b\nc\n");
  });

  it.each(["sqlite3", "python3", "js-exec", "node", "curl"])(
    "does not have %s",
    async (command) => {
      const sandbox = await provider.create();
      onTestFinished(() => sandbox[Symbol.asyncDispose]());
      expect(await sandbox.run(`${command} --version`)).toMatchObject({ exitCode: 127 });
    },
  );
});
