import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { readRun } from "@envs/records/node";

import { type envs, envsHere } from "../command.ts";
import { environmentPackage, type Package } from "../manifest/package.ts";

const module = `import { readFileSync } from "node:fs";
import { defineEnvironment } from "@envs/core";
import * as z from "zod";
import { grade } from "./grade.js";

export default defineEnvironment({
  name: "letters",
  config: z.object({ file: z.string().default(""), isStrict: z.boolean().default(false) }),
  dataset: ({ config }) => JSON.parse(readFileSync(config.file || import.meta.dirname + "/../data/rows.json", "utf8")),
  rubric: { right: ({ reply, example }) => grade(reply, example) },
  policies: { right: ({ example }) => example.prompt },
});
`;

export interface Row {
  readonly prompt: string;
  readonly id?: string;
}

/** The rows of a dataset: one for each letter. */
export function rowsOf(letters: string): readonly Row[] {
  return Array.from(letters, (prompt) => ({ prompt }));
}

/** Writes a package whose task is to repeat a letter: its code, a module that it imports, and its data. */
export function lettersPackage(options: Package = {}): Promise<string> {
  return environmentPackage(undefined, {
    ...options,
    packageJson: { name: "letters", files: ["dist", "data"], ...options.packageJson },
    files: {
      "dist/index.js": module,
      "dist/grade.js": "export const grade = (reply, { prompt }) => Number(reply === prompt);\n",
      "data/rows.json": JSON.stringify(rowsOf("abcd")),
      "README.md": "Letters.",
      ...options.files,
    },
  });
}

/** Evaluates an environment, and returns the folder of its run. */
export async function evaluated(
  args: readonly string[],
  command: typeof envs | typeof envsHere = envsHere,
): Promise<string> {
  const { stdout, stderr } = await command(["eval", ...args, "-m", "policy:right", "--json"]);
  if (stdout === "") throw new Error(stderr);
  return (JSON.parse(stdout) as { readonly run: string }).run;
}

/** Makes a run look as if it was killed after its first rollouts. */
export async function cutRun(run: string, rollouts: number): Promise<void> {
  const [results, metadata] = [join(run, "results.jsonl"), join(run, "metadata.json")];
  const lines = (await readFile(results, "utf8")).split("\n").slice(0, rollouts);
  await writeFile(results, `${lines.join("\n")}\n{"torn`);
  const json = await metadataOf(run);
  await writeFile(metadata, JSON.stringify({ ...json, is_complete: false }));
}

export async function metadataOf(run: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(run, "metadata.json"), "utf8")) as Record<string, unknown>;
}

/** The letter of each saved rollout, in the order of the examples. */
export async function promptsOf(run: string): Promise<string> {
  const { rollouts } = await readRun(run);
  return rollouts
    .toSorted((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex)
    .map(({ example }) => example.prompt)
    .join("");
}
