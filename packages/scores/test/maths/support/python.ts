import { execFile } from "node:child_process";
import { join } from "node:path";

const script = join(import.meta.dirname, "../python/math_verify_verdicts.py");

export interface Verdict {
  readonly same: boolean;
  readonly seconds: number;
}

/** Asks Math-Verify in CPython about each pair. `ENVS_PYTHON` names the interpreter. */
export function pythonVerdicts(
  pairs: readonly { readonly answer: string; readonly reference: string }[],
): Promise<readonly Verdict[]> {
  const python = process.env["ENVS_PYTHON"] ?? "python3";
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PYTHONHASHSEED: "0" };
    const child = execFile(python, [script], { env }, (error, stdout) => {
      if (error !== null) reject(error);
      else
        resolve(
          stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as Verdict),
        );
    });
    child.stdin?.end(pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(""));
  });
}
