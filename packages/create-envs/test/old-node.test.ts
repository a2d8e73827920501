import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** Runs the program on this Node, which claims to have another version. */
function runOn(version: string) {
  const claim = `Object.defineProperty(process.versions, "node", { value: "${version}" });`;
  const preload = `data:text/javascript,${encodeURIComponent(claim)}`;
  const args = ["--import", preload, join(root, "bin/create-envs.js"), "--help"];
  return spawnSync(process.execPath, args, { encoding: "utf8" });
}

test.for(["12.22.0", "18.20.8", "22.17.1"])("names the needed version on Node %s", (version) => {
  const { stderr, status } = runOn(version);
  expect(stderr).toBe(`✗ create-envs needs Node 22.18 or newer. This is Node ${version}.\n`);
  expect(status).toBe(1);
});

test("needs the version of its package.json", () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly engines: { readonly node: string };
  };
  expect(engines.node).toBe(">=22.18");
});
