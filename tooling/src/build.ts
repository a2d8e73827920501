import { spawnSync } from "node:child_process";

// Builds all packages, and prints errors only. Turbo reads from the environment alone that it must not send telemetry.
const { status } = spawnSync(
  "turbo",
  ["run", "build", "--output-logs=errors-only", "--log-prefix=none", ...process.argv.slice(2)],
  {
    stdio: "inherit",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1" },
  },
);
process.exitCode = status ?? 1;
