import { type SpawnSyncOptions, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Runs the tests of machines: installs podman from Debian's packages if it is missing, makes an image of these packages once, and starts
// podman's server with its own storage.
const root = join(import.meta.dirname, "../..");
const image = "localhost/envs-test-base:2";
const packages = ["podman", "runc", "debootstrap"];
const included = "ca-certificates,curl,git,python3-pytest";

function run(command: string, args: readonly string[], options: SpawnSyncOptions = {}): void {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", ...options });
  if (status !== 0)
    throw new Error(
      `${command} ${args.slice(0, 2).join(" ")} failed with ${error?.message ?? status}. The tests of machines need root on Debian or Ubuntu.`,
    );
}

const has = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

if (!["podman", "runc", "debootstrap"].every((name) => has(name, "--version"))) {
  run("apt-get", ["update", "-qq"]);
  run("apt-get", ["install", "-y", "-qq", ...packages]);
}
const folder = mkdtempSync(join(tmpdir(), "machines-"));
const storage = join(root, "node_modules/.cache/machines");
mkdirSync(storage, { recursive: true });
// Podman's locks are of the whole system otherwise: a killed process of another test could hold one.
const settings = join(folder, "containers.conf");
// The storage remembers these paths.
const state = join(tmpdir(), "envs-machines");
const networks = join(state, "networks");
writeFileSync(
  settings,
  `[engine]\nlock_type = "file"\nruntime = "runc"\n[network]\nnetwork_config_dir = "${networks}"\n`,
);
process.env["CONTAINERS_CONF"] = settings;
const own = ["--root", storage, "--runroot", join(state, "run"), "--tmpdir", join(state, "tmp")];
try {
  if (!has("podman", ...own, "image", "exists", image)) {
    const target = join(folder, "root");
    run("debootstrap", ["--variant=minbase", `--include=${included}`, "bookworm", target]);
    const script = 'target=$1; shift; tar -C "$target" -c . | podman "$@"';
    run("sh", ["-c", script, "sh", target, ...own, "import", "-", image]);
    rmSync(target, { recursive: true });
  }
  const socket = join(folder, "podman.sock");
  const service = [...own, "system", "service", "--time", "0", `unix://${socket}`];
  const podman = spawn("podman", service, { stdio: "ignore" });
  try {
    const config = join(root, "tooling/machines.config.ts");
    run("vitest", ["run", "--root", root, "--config", config, ...process.argv.slice(2)], {
      cwd: root,
      env: { ...process.env, ENVS_TEST_MACHINE_SOCKET: socket, ENVS_TEST_MACHINE_IMAGE: image },
    });
  } finally {
    podman.kill();
  }
} finally {
  rmSync(folder, { recursive: true });
}
