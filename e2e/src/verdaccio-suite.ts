import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { programs } from "./clients.ts";
import { workplace } from "./clients/workplace.ts";

const { resolve } = createRequire(import.meta.url);
const bin = join(dirname(resolve("@verdaccio/e2e-cli")), "../../bin/e2e-cli.js");

/** What the suite calls each client, and where ours is. */
const adapters = {
  npm: `npm=${programs.npm[1]}`,
  pnpm: `pnpm=${programs.pnpm[0]}`,
  yarn: `yarn-modern=${programs.yarn4[1]}`,
} as const;

/** What came of the tests of `@verdaccio/e2e-cli` with one client. */
export interface SuiteResult {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** What the suite itself leaves out for this client. */
  readonly skipped: readonly string[];
  readonly printed: string;
}

/** Runs the tests of `@verdaccio/e2e-cli` against a hub, without those in `except`. */
export async function verdaccioSuite(
  client: keyof typeof adapters,
  hub: { readonly url: string; readonly token: string },
  except: readonly string[] = [],
): Promise<SuiteResult> {
  await using place = await workplace();
  // It leaves its folders behind.
  const temporary = join(place.home, "tmp");
  await mkdir(temporary);
  const run = place.start([process.execPath, bin], {
    TMPDIR: temporary,
    // Some that Verdaccio itself does not pass yet.
    E2E_PENDING_CONTRACT_CHECKS: "tarballs",
  });
  const { stdout, stderr } = await run([
    "--registry",
    hub.url,
    "--token",
    hub.token,
    "--pm",
    adapters[client],
    // In milliseconds, for each of its tests: package managers are slow beside other tests.
    "--timeout",
    "180000",
    ...except.flatMap((name) => ["--skip-test", name]),
  ]);
  const printed = stripVTControlCharacters(stdout);
  const named = (mark: string): string[] =>
    Array.from(printed.matchAll(new RegExp(`^ {2}(?:${mark}) ([a-z:-]+)`, "gmu")), ([, name]) =>
      String(name),
    );
  return {
    passed: named("✓|PASS"),
    failed: named("FAIL"),
    skipped: named("SKIP").filter((name) => !except.includes(name)),
    printed: `${printed}\n${stderr}`,
  };
}
