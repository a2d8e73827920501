import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";

import { python } from "../../src/index.ts";
import { readRequirements } from "../../src/python/packages/requirements.ts";
import { packageFolder, wheelFolder } from "../../src/python/packages/store.ts";

/** A pure Python package, and a compiled one. The versions are not those of Pyodide's own list. */
const packages = ["mpmath==1.3.0", "msgspec==0.22.0"];
const caches = join(import.meta.dirname, "../../../../node_modules/.cache");

beforeEach(() => void vi.stubEnv("XDG_CACHE_HOME", caches));
afterEach(() => void vi.unstubAllEnvs());

test("it imports packages, which are installed once", async () => {
  const provider = python({ packages, warm: 0 });
  await provider.check();
  // Nothing can be downloaded from now on.
  vi.stubEnv("PIP_NO_INDEX", "1");
  const again = python({ packages: packages.toReversed(), warm: 0 });
  const sandbox = await again.create({ limits: { memory: 256 * 1024 ** 2 } });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  const { value, stderr } = await sandbox.run(
    "import mpmath, msgspec\n[str(mpmath.mpf(2) ** 0.5)[:6], msgspec.json.encode([1]).decode()]",
  );
  expect([value, stderr]).toEqual([["1.4142", "[1]"], ""]);
});

test("rejects packages that differ from the downloaded ones", async () => {
  const folder = packageFolder(readRequirements(packages));
  const [file = ""] = readdirSync(join(folder, wheelFolder));
  const own = mkdtempSync(join(tmpdir(), "envs-packages-"));
  onTestFinished(() => rmSync(own, { recursive: true }));
  vi.stubEnv("XDG_CACHE_HOME", own);
  const copy = packageFolder(readRequirements(packages));
  cpSync(folder, copy, { recursive: true });
  appendFileSync(join(copy, wheelFolder, file), "x");
  await expect(python({ packages }).check()).rejects.toThrow(`${file} is damaged`);
});

test("it names the command that installs a package which cannot be downloaded", async () => {
  const own = mkdtempSync(join(tmpdir(), "envs-packages-"));
  onTestFinished(() => rmSync(own, { recursive: true }));
  vi.stubEnv("XDG_CACHE_HOME", own);
  vi.stubEnv("PIP_NO_INDEX", "1");
  // What a killed process left is removed.
  const left = join(own, "envs/sandbox/python-packages/new-killed");
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, "part"), "x");
  await expect(python({ packages: ["mpmath"] }).check()).rejects.toThrow(
    "Run `envs sandbox install mpmath`",
  );
  expect(readdirSync(join(own, "envs/sandbox/python-packages"))).toEqual([]);
});
