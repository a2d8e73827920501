import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { requireMathVerify, sameMath } from "@envs/scores/maths";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const empty = mkdtempSync(join(tmpdir(), "envs-maths-"));

beforeAll(() => void vi.stubEnv("XDG_CACHE_HOME", empty));

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(empty, { recursive: true });
});

describe("sameMath without Math-Verify", () => {
  it("accepts answers that are exactly equal", async () => {
    expect(await sameMath("\\frac{1}{2}", "0.5")).toBe(true);
  });

  it("compares the last box of a reply", async () => {
    expect(await sameMath("First \\boxed{41}, then \\boxed{42}.", "42")).toBe(true);
  });

  it("rejects an empty answer and one of more than 50,000 characters", async () => {
    expect(await sameMath(" ", "42")).toBe(false);
    expect(await sameMath("\\boxed{}", "42")).toBe(false);
    expect(await sameMath("1".repeat(50_001), "42")).toBe(false);
  });

  it("fails the rollout and names the command when answers differ", async () => {
    await expect(sameMath("41", "42")).rejects.toMatchObject({
      name: "RolloutError",
      code: "score",
      isFatal: true,
      message: expect.stringContaining("Run `envs sandbox maths`") as string,
    });
  });

  it("is reported before the first model call by requireMathVerify", async () => {
    await expect(requireMathVerify()).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringContaining("Math-Verify is not installed") as string,
    });
  });
});

it("names @envs/sandbox where that package is missing", () => {
  const hooks = `import { registerHooks } from "node:module";
    registerHooks({ resolve(specifier, context, next) {
      if (!specifier.startsWith("@envs/sandbox")) return next(specifier, context);
      throw Object.assign(new Error("missing"), { code: "ERR_MODULE_NOT_FOUND" });
    } });`;
  const program = `import { sameMath } from "@envs/scores/maths";
    console.log(await sameMath("0.5", "1/2"));
    await sameMath("41", "42").catch(({ message }) => console.log(message));`;
  const output = execFileSync(
    process.execPath,
    [
      `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
      "--input-type=module",
      `--eval=${program}`,
    ],
    { cwd: import.meta.dirname, encoding: "utf8" },
  );
  expect(output.split("\n")).toEqual([
    "true",
    expect.stringMatching(/@envs\/sandbox, which is not installed.*Add that package/) as string,
    "",
  ]);
});
