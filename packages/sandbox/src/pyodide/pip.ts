import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The ways to call pip. uv cannot download wheels, but can run pip. */
const programs: readonly (readonly [string, ...string[]])[] = [
  ["python3", "-m", "pip"],
  ["pip3"],
  ["pip"],
  ["python", "-m", "pip"],
  ["uv", "tool", "run", "pip"],
];

const timeout = 600_000;

export interface PipDownload {
  /** The folder of the wheels. */
  readonly folder: string;
  /** Lines of a requirements file. pip checks the hashes that they have. */
  readonly requirements: readonly string[];
  /** Options of `pip download`, such as the Python that the wheels are for. */
  readonly options: readonly string[];
  /** Called with each step, such as `Downloading sympy==1.14.0 by python3 -m pip`. */
  readonly onStep: (step: string) => void;
}

/** Downloads wheels by the first program that works, from the index that the user's pip or uv has. */
export async function pipDownload(download: PipDownload): Promise<void> {
  const { folder, requirements, options, onStep } = download;
  const [command, ...prefix] = await findPip();
  const file = join(folder, "requirements.txt");
  await writeFile(file, requirements.map((line) => `${line}\n`).join(""));
  const names = requirements.map((line) => line.split(" ")[0]).join(", ");
  const program = [command, ...prefix].join(" ");
  onStep(`Downloading ${names} by ${program}`);
  const all = ["--quiet", "--dest", folder, "--only-binary=:all:", ...options];
  try {
    await run(command, [...prefix, "download", ...all, "--requirement", file], {
      timeout,
      env: pipVariables(),
    });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const lines = stderr.trim().split("\n").slice(-5).join("\n");
    throw new Error(
      `\`${program}\` could not download ${names}. Check the network, and the index that pip is configured with.\n${lines}`,
      { cause: error },
    );
  }
}

async function findPip(): Promise<readonly [string, ...string[]]> {
  const problems: string[] = [];
  for (const program of programs) {
    const [command, ...prefix] = program;
    try {
      await run(command, [...prefix, "--version"], { timeout, env: pipVariables() });
      return program;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT")
        problems.push(`\n${program.join(" ")}: ${lastLine(error)}`);
    }
  }
  throw new Error(
    `it needs pip or uv, and neither works here. Install Python 3 with pip (on Debian: apt-get install python3-pip), or uv.${problems.join("")}`,
  );
}

function lastLine(error: unknown): string {
  const { stderr = "", message } = error as { readonly stderr?: string; readonly message: string };
  return stderr.trim().split("\n").at(-1)?.trim() || message;
}

/** The environment variables of this process, with the index of uv if one is configured and none for pip. */
function pipVariables(): NodeJS.ProcessEnv {
  const index = process.env["UV_DEFAULT_INDEX"] ?? process.env["UV_INDEX_URL"];
  const pip = index === undefined ? {} : { PIP_INDEX_URL: index };
  return { ...pip, ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: "1" };
}
