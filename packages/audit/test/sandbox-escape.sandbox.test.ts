// Attacks on real sandboxes that need bubblewrap.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { nativePython, python } from "@envs/sandbox";
import { shell } from "@envs/sandbox/shell";
import { expect, test } from "vitest";

import { attacked } from "./attacked.ts";

test.each([
  ["Python in WebAssembly", python()],
  ["Python of this machine", nativePython()],
  ["programs of this machine", shell({ native: true })],
])("code in %s cannot leave it, nor through a tool", async (_, provider) => {
  expect(await attacked(provider)).toEqual({ tried: "10 attacks", found: [] });
});

test("finds a tool that runs Python outside of the sandbox", async () => {
  const run = async (code: string) => {
    // The call would end this process.
    if (code.includes("getppid")) return "";
    return (await promisify(execFile)("python3", ["-c", code], { timeout: 5000 })).stdout;
  };
  const { found } = await attacked(nativePython(), run);
  expect(found).toEqual(["files", "environment", "network"]);
});
