// Attacks on real sandboxes that need npm packages only.
import { exec } from "node:child_process";
import { promisify } from "node:util";
import { runInThisContext } from "node:vm";

import { javascript } from "@envs/sandbox";
import { shell } from "@envs/sandbox/shell";
import { sqlite } from "@envs/sandbox/sqlite";
import { expect, test } from "vitest";

import { attacked } from "./attacked.ts";

test.each([
  ["JavaScript", javascript(), 4],
  ["a portable shell", shell(), 5],
  ["SQLite", sqlite(), 3],
])("code in %s cannot leave it, nor through a tool", async (_, provider, attacks) => {
  expect(await attacked(provider)).toEqual({ tried: `${2 * attacks} attacks`, found: [] });
});

test("finds a tool that runs JavaScript in the process of the environment", async () => {
  const run = async (code: string) => String(await runInThisContext(code, { timeout: 1000 }));
  const { found } = await attacked(javascript(), run);
  expect(found).toEqual(["files", "environment", "network"]);
});

test("finds a tool that runs commands on this machine", async () => {
  const run = async (code: string) => {
    // The call would end this process.
    if (code.includes("kill")) return "";
    return (await promisify(exec)(code, { shell: "/bin/bash", timeout: 3000 })).stdout;
  };
  const { found } = await attacked(shell(), run);
  expect(found).toEqual(["files", "environment", "network"]);
});
