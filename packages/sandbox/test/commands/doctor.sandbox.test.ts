import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../../../cli/test/command.ts";

interface Report {
  readonly providers: readonly {
    readonly traits: { readonly name: string };
    readonly problem?: string;
    readonly startMs?: number;
  }[];
  readonly caches: readonly { readonly isUsed: boolean; readonly bytes: number }[];
}

test("sandbox doctor reports that Python works, and the cache that it filled", async () => {
  const { stdout } = await envs(["sandbox", "doctor", "--json"], "", {
    XDG_CACHE_HOME: await temporaryFolder(),
  });
  const { providers, caches } = JSON.parse(stdout) as Report;
  const python = providers.find(({ traits }) => traits.name === "python");
  expect(python?.problem).toBeUndefined();
  expect(python?.startMs).toBeGreaterThan(0);
  expect(caches).toEqual([expect.objectContaining({ isUsed: true })]);
  expect(caches[0]?.bytes).toBeGreaterThan(10_000_000);
});

test("sandbox doctor shows how to install bubblewrap where it is missing", async () => {
  const { stdout } = await envs(["sandbox", "doctor"], "", { PATH: await temporaryFolder() });
  expect(stdout).toContain("Install it: apt-get install bubblewrap");
  expect(stdout).toMatch(/^javascript +yes +wasm/m);
});
