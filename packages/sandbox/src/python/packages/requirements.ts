import { ConfigError } from "@envs/core";

const version = String.raw`(?:[<>=!~]=|[<>])\s*[\w.*+!-]+`;
const pattern = new RegExp(
  String.raw`^([a-z\d](?:[\w.-]*[a-z\d])?)(\[[\w\s,.-]+\])?\s*(${version}(?:\s*,\s*${version})*)?(?:\s+--hash=sha256:[\da-f]{64})*$`,
  "i",
);

/** A line of a requirements file, such as `sympy==1.14.0`. */
export interface PythonRequirement {
  readonly line: string;
  /** The name as an index normalizes it. */
  readonly name: string;
  /** The accepted versions; `undefined` for any. */
  readonly versions: string | undefined;
}

/** Reads requirements in the form of pip, in a fixed order. Throws a `ConfigError` for anything else, such as an option of pip. */
export function readRequirements(lines: readonly string[]): readonly PythonRequirement[] {
  const trimmed = [...new Set(lines.map((line) => line.trim()))].sort();
  return trimmed.map((line) => {
    const [, name, , versions] = pattern.exec(line) ?? [];
    if (name === undefined)
      throw new ConfigError(
        `${JSON.stringify(line)} is not the name of a Python package. Write a name, and a version if it matters, such as "sympy==1.14.0".`,
      );
    return { line, name: normalizedName(name), versions: versions?.replaceAll(/\s/g, "") };
  });
}

function normalizedName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}
