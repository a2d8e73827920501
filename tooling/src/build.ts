import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { withLock } from "./lock.ts";

// Builds all packages, and prints errors only. Turbo reads from the environment alone that it must not send telemetry.
const build = (): void => {
  const { status } = spawnSync(
    "turbo",
    ["run", "build", "--output-logs=errors-only", "--log-prefix=none", ...process.argv.slice(2)],
    {
      stdio: "inherit",
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1" },
    },
  );
  process.exitCode = status ?? 1;
};

// Two processes would write the same files of the site for minutes. The second finds them in Turbo's cache.
if (!process.argv.includes("site")) build();
else await withLock(join(import.meta.dirname, "../../node_modules/.cache/envs/site.lock"), build);
