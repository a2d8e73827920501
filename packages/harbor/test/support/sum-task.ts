import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { onTestFinished } from "vitest";

export const {
  ENVS_TEST_MACHINE_SOCKET: socket,
  ENVS_TEST_MACHINE_IMAGE: image = "envs-test-base",
} = process.env;

/** A task that a shell command solves. */
export const sumTask = {
  "task.toml": `[environment]\ndocker_image = "${image}"\nnetwork_mode = "no-network"\n`,
  "instruction.md": "Write 2 + 3 to /app/sum.txt.",
  "solution/solve.sh": "mkdir -p /app && echo 5 > /app/sum.txt\n",
  "tests/test.sh": `if [ "$(cat /app/sum.txt 2>/dev/null)" = 5 ]; then reward=1; else reward=0; fi
echo "{\\"reward\\": $reward, \\"style\\": 1}" > /logs/verifier/reward.json
`,
};

/** Writes files below a new folder, which is removed after the test. */
export async function written(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envs-harbor-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}
