import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { programs } from "./clients.ts";
import { createWorkplace } from "./clients/workplace.ts";

const { resolve } = createRequire(import.meta.url);
const bin = join(dirname(resolve("@verdaccio/e2e-cli")), "../../bin/e2e-cli.js");

/** The suite's name of each client, and the path of our copy. */
const adapters = {
  npm: `npm=${programs.npm[1]}`,
  pnpm: `pnpm=${programs.pnpm[0]}`,
  bun: `bun=${programs.bun[0]}`,
} as const;

/** The results of the tests of `@verdaccio/e2e-cli` with one client. */
export interface SuiteResult {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** The tests that the suite itself skips for this client. */
  readonly skipped: readonly string[];
  readonly printed: string;
}

/** Runs the tests of `@verdaccio/e2e-cli` against a hub, except those in `except`. */
export async function verdaccioSuite(
  client: keyof typeof adapters,
  hub: { readonly url: string; readonly token: string },
  except: readonly string[] = [],
): Promise<SuiteResult> {
  await using workplace = await createWorkplace();
  // The suite does not remove its temporary folders.
  const temporary = join(workplace.home, "tmp");
  await mkdir(temporary);
  const run = workplace.start([process.execPath, bin], {
    TMPDIR: temporary,
    // Enables tests that Verdaccio itself does not pass yet.
    E2E_PENDING_CONTRACT_CHECKS: "all",
  });
  const args = [
    "--registry",
    hub.url,
    "--token",
    hub.token,
    "--pm",
    adapters[client],
    // Milliseconds per test: package managers are slow on a busy machine.
    "--timeout",
    "180000",
    ...except.flatMap((name) => ["--skip-test", name]),
  ];
  const { stdout, stderr } = await run(args, { timeoutMs: 580_000 });
  const printed = stripVTControlCharacters(stdout);
  const namesWith = (mark: string): string[] =>
    Array.from(printed.matchAll(new RegExp(`^ {2}(?:${mark}) ([a-z:-]+)`, "gmu")), ([, name]) =>
      String(name),
    );
  return {
    passed: namesWith("✓|PASS"),
    failed: namesWith("FAIL"),
    skipped: namesWith("SKIP").filter((name) => !except.includes(name)),
    printed: `${printed}\n${stderr}`,
  };
}
