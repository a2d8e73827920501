import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface VirtualEnvironmentOptions {
  /** The path of a file with pinned requirements. */
  readonly requirements: string;
  /** The target. Created anew when the requirements change. */
  readonly folder: string;
  /** Whether the file lists all transitive dependencies: then pip resolves none. Default false. */
  readonly isComplete?: boolean;
  /** Default `python3`. */
  readonly python?: string;
}

/** Creates a virtual environment with Python packages, unless it exists. Returns the path of its Python. */
export function virtualEnvironment(options: VirtualEnvironmentOptions): string {
  const { requirements, folder, isComplete = false, python = "python3" } = options;
  const program = join(folder, "bin/python");
  const marker = join(folder, "made-of");
  const hash = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  if (read(marker) === hash) return program;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  run(
    [python, "-m", "venv", folder],
    "Python cannot create a virtual environment. Install Python 3 with venv (on Debian: apt-get install python3-venv).",
  );
  const install = [
    program,
    "-m",
    "pip",
    "install",
    "--quiet",
    "--no-compile",
    "--disable-pip-version-check",
  ];
  if (isComplete) install.push("--no-deps", "--ignore-requires-python");
  run(
    [...install, "--requirement", requirements],
    `pip cannot install the packages of ${requirements}. Check the network.`,
  );
  // Written last, so that an interrupted installation starts again.
  writeFileSync(marker, hash);
  return program;
}

function run([command = "", ...args]: readonly string[], problem: string): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error([problem, error?.message ?? stderr].join("\n").trim());
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
