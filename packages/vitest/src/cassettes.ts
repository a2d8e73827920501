import { basename, dirname, join, resolve } from "node:path";

import { ConfigError, type Model } from "@envs/core";

import { type CassetteFile, openCassette } from "./cassettes/cassette-file.ts";
import type { CassetteMode, CassetteOptions } from "./cassettes/cassette.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const modes = ["replay", "auto", "record"] as const;

/** The mode that the variable `ENVS_CASSETTES` names. Default: `replay` in CI, where a test never calls a model, else `auto`. */
function cassetteMode(variables: Variables): CassetteMode {
  const { ENVS_CASSETTES: named = "", CI: ci = "" } = variables;
  const mode = modes.find((known) => known === named);
  if (mode !== undefined) return mode;
  if (named !== "")
    throw new ConfigError(
      `ENVS_CASSETTES is ${JSON.stringify(named)}. Set it to ${modes.join(", ")}, or remove it.`,
    );
  return ci === "" || ci === "false" || ci === "0" ? "auto" : "replay";
}

/** The path of a suite's cassette: as the caller names it, else beside the test file. */
export function cassettePath(testFile: string, suite: string, named?: string): string {
  if (named !== undefined) return resolve(dirname(testFile), named);
  const file = basename(testFile).replace(/\.[cm]?[jt]sx?$/u, "");
  const name = suite.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/gu, "");
  return join(dirname(testFile), "__cassettes__", `${file}--${name}.jsonl`);
}

/** Opens a cassette in the mode of this process. */
export async function openTestCassette(
  path: string,
  variables: Variables,
  options: Pick<CassetteOptions, "normalise" | "testFile"> = {},
): Promise<CassetteFile> {
  return await openCassette(path, {
    ...options,
    mode: cassetteMode(variables),
    remedy: "run the test with ENVS_CASSETTES=auto and commit the file",
  });
}

/** Whether a model's replies can be recorded: a policy also reads the state of the episode, which its request lacks. */
export function isRecordable({ id = "" }: Model): boolean {
  return !id.startsWith("policy:");
}
