import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Which packages, and where they go. */
export interface VirtualEnvironmentOptions {
  /** The file of pinned requirements. */
  readonly requirements: string;
  /** Made anew whenever the requirements change. */
  readonly folder: string;
  /** Whether the file names everything: then nothing else is installed, and nothing refused. Default false. */
  readonly isComplete?: boolean;
  /** Default `python3`. */
  readonly python?: string;
}

/** Makes a virtual environment of Python packages, unless it is there. Returns the path of its Python. */
export function virtualEnvironment(options: VirtualEnvironmentOptions): string {
  const { requirements, folder, isComplete = false, python = "python3" } = options;
  const own = join(folder, "bin/python");
  const mark = join(folder, "made-of");
  const wanted = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  if (read(mark) === wanted) return own;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  run(
    [python, "-m", "venv", folder],
    "No virtual environment can be made. Is there a Python 3 with venv (on Debian: apt-get install python3-venv)?",
  );
  const install = [
    own,
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
    `The packages of ${requirements} cannot be installed. Is there a network?`,
  );
  // Last: an environment that was interrupted is made again.
  writeFileSync(mark, wanted);
  return own;
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
