import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { sha256 } from "../src/pyodide/cache.ts";
import type { PyodideLock } from "../src/pyodide/lock.ts";
import { compiledPackages, downloadCompiled } from "../src/python/packages/distribution.ts";
import { readRequirements } from "../src/python/packages/requirements.ts";

const wheel = Buffer.from("a wheel");
const compiled = "-1.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl";

function locked(name: string, suffix: string, depends: readonly string[] = []) {
  return {
    [name]: { name, version: "1.0", file_name: name + suffix, sha256: sha256(wheel), depends },
  };
}

const lock: PyodideLock = {
  info: { abi_version: "2026_0", python: "3.14.2" },
  packages: {
    ...locked("array-math", compiled, ["dates"]),
    ...locked("dates", "-1.0-py3-none-any.whl"),
  },
};

/** A copy of Pyodide's packages that has the files of some names. */
async function copyOf(files: readonly string[]): Promise<void> {
  const server = createServer(({ url }, response) => {
    response.statusCode = files.includes(url!.slice("/full/".length)) ? 200 : 404;
    response.end(wheel);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("ENVS_PYODIDE_PACKAGES", `http://127.0.0.1:${port}/full/`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
  });
}

async function download(packages: PyodideLock["packages"]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "envs-wheels-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await downloadCompiled(Object.values(packages), folder, () => {});
  return readdirSync(folder);
}

describe("packages of python()", () => {
  it.each([
    [["Array_Math"], ["array-math", "dates"]],
    [["array-math == 1.0"], ["array-math", "dates"]],
    [["array-math==2.0"], []],
    [["dates"], []],
    [["unknown[extra]>=1,<2"], []],
  ])("for %j takes %j of Pyodide's own", (lines, names) => {
    const found = compiledPackages(readRequirements(lines), lock);
    expect(found.map(({ name }) => name)).toEqual(names);
  });

  it.each(["--index-url x", "-r file", "https://a.b/c.whl", "a b", ""])(
    "rejects %j as a package",
    (line) => {
      expect(() => readRequirements([line])).toThrow("is not the name of a Python package");
    },
  );

  it("downloads Pyodide's own from a copy", async () => {
    await copyOf([`array-math${compiled}`, "dates-1.0-py3-none-any.whl"]);
    expect(await download(lock.packages)).toHaveLength(2);
  });

  it("rejects a file with another hash, and one that does not exist", async () => {
    await copyOf([`array-math${compiled}`]);
    const { "array-math": forged } = lock.packages;
    await expect(download({ forged: { ...forged!, sha256: "0" } })).rejects.toThrow("has 0.");
    await expect(download(lock.packages)).rejects.toThrow("status 404. Check the network");
  });
});
