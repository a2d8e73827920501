import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, expect, it } from "vitest";

import { envs } from "../command.ts";

const bin = join(import.meta.dirname, "../../src/bin.ts");

let script = "";
beforeAll(async () => void ({ stdout: script } = await envs(["completion", "bash"])));

/** The completions that bash offers at the end of a line, which replace the text after the last colon or equals sign. */
async function completed(line: string): Promise<readonly string[]> {
  const program = `envs() { "${process.execPath}" "${bin}" "$@"; }
${script}
COMP_LINE="$1" COMP_POINT=\${#1}
__envs_complete
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", program, "bash", line], {
    cwd: join(import.meta.dirname, "../../../.."),
  });
  return stdout.trimEnd().split("\n");
}

it.each([
  ["envs ev", ["eval"]],
  ["envs run re", ["reproduce", "report", "replay", "rescore"].toSorted()],
  ["envs help run di", ["diff"]],
  ["envs eval --sub-model-c", ["--sub-model-concurrency"]],
  ["envs eval tictac", ["tictactoe"]],
  ["envs check @envs/tictac", ["@envs/tictactoe"]],
  ["envs eval tictactoe -m tiny:ba", ["base"]],
  ["envs eval tictactoe --model=policy:opt", ["optimal"]],
  ["envs completion ", ["bash", "fish", "zsh"]],
  ["envs eval ./some-fi", [""]],
])("bash completes %s", async (line, values) => {
  expect((await completed(line)).toSorted()).toEqual(values);
});

it("prints scripts that ask envs complete for zsh and fish", async () => {
  for (const shell of ["zsh", "fish"]) {
    const { stdout } = await envs(["completion", shell]);
    expect(stdout).toContain("envs complete -- ");
  }
});

it("names the shells in the error for another one", async () => {
  expect(await envs(["completion", "tcsh"])).toMatchObject({
    code: 2,
    stderr: '✗ Unknown shell "tcsh". Write: envs completion bash|zsh|fish\n',
  });
});
