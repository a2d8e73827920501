import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const programs = [
  ["envs", "packages/cli"],
  ["create-envs", "packages/create-envs"],
  ["envs-hub", "hub-server"],
] as const;

/** Runs a program on the current Node, which reports another version. */
function runOn(version: string, file: string) {
  const claim = `Object.defineProperty(process.versions, "node", { value: "${version}" });`;
  const preload = `data:text/javascript,${encodeURIComponent(claim)}`;
  const args = ["--import", preload, join(root, file), "--help"];
  return spawnSync(process.execPath, args, { encoding: "utf8" });
}

test.for(programs)("%s names the Node that it needs", ([name, folder]) => {
  for (const version of ["12.22.0", "18.20.8", "22.17.1"]) {
    const { stderr, status } = runOn(version, `${folder}/bin/${name}.js`);
    expect(stderr).toBe(`✗ ${name} needs Node 22.18 or newer. This is Node ${version}.\n`);
    expect(status).toBe(1);
  }
});

test.for(programs)("%s needs the Node that its package.json states", ([, folder]) => {
  const { engines } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
    readonly engines: { readonly node: string };
  };
  expect(engines.node).toBe(">=22.18");
});
