import { sep } from "node:path";

import { shellArgument, UsageError } from "@envs/cli/kit";
import { bestPolicyOf } from "@envs/cli/kit/environments";
import { evaluate, policy, textOf } from "@envs/core";
import { episode, examples, type KeyedExample, maxTurnsOf } from "@envs/core/engine";

import { type ExportFile, type ExportResult, quoteString } from "../export-files.ts";
import { rejectGroupScores, type TrainingSource } from "../training-source.ts";
import { graderModule, type GraderOptions, testScript } from "./harbor-grader.ts";

/** The file in which the agent writes its answer. */
const answerFile = "/answer.txt";
const image = "node:24-slim";

/** Exports a Harbor task folder per example. The agent answers in a file, and the environment's rubric scores it. */
export async function harbor(source: TrainingSource): Promise<ExportResult> {
  const { environment, loaded, count, split, hasSplits, seed } = source;
  checkSupported(source);
  rejectGroupScores(source, "Harbor");
  const rows = await Array.fromAsync(
    examples(environment, { count, seed, ...(hasSplits ? { split } : {}) }),
  );
  const answers = await bestAnswers(source);
  const { packageName, version } = loaded;
  const install = `${packageName}@${version}`;
  const files = rows.flatMap((row) =>
    taskFolder(source, row, { answer: answers.get(row.index), install }),
  );
  return {
    files,
    notes: [`${installNote(loaded, install)} Or put tarballs into each tests/packages folder.`],
  };
}

function checkSupported({ environment, loaded }: TrainingSource): void {
  const { name, definition } = environment;
  const obstacle =
    definition.tools !== undefined
      ? "has tools"
      : definition.respond !== undefined || maxTurnsOf(environment) > 1
        ? "has several turns"
        : (definition.media?.kinds ?? []).length > 0
          ? "sends more than text"
          : undefined;
  if (obstacle !== undefined)
    throw new UsageError(
      `Cannot export ${name} to Harbor: it ${obstacle}, and a Harbor task has one instruction in text and one answer. Serve the environment instead: envs serve ${shellArgument(loaded.reference)}`,
    );
  if (loaded.packageName !== undefined && loaded.version === undefined)
    throw new UsageError(
      `Cannot export ${loaded.packageName} to Harbor: its package.json has no version that a task's tests could install. Add one, and publish the package.`,
    );
  if (loaded.packageName === undefined)
    throw new UsageError(
      `Cannot export ${loaded.reference} to Harbor: it has no package that a task's tests could install. Create one: envs init`,
    );
}

/** Where the tests take the package from. */
function installNote({ root = "" }: TrainingSource["loaded"], install: string): string {
  const scope = /^@[^/]+/.exec(install)?.[0];
  const registry =
    scope === undefined
      ? "the sandbox's registry"
      : `the registry that the sandbox's .npmrc sets for ${scope}`;
  return root.split(sep).includes("node_modules")
    ? `The tests install ${install} with npm from ${registry}, which must have it.`
    : `The tests install ${install} with npm from ${registry}, but you exported it from a folder, and registries may not have this version: publish it first.`;
}

/** The best policy's answers by example index, as reference solutions. */
async function bestAnswers(source: TrainingSource): Promise<ReadonlyMap<number, string>> {
  const { environment, count, split, hasSplits, seed } = source;
  const best = bestPolicyOf(environment);
  if (best === undefined) return new Map();
  const { rollouts } = await evaluate(environment, {
    model: policy(best),
    examples: count,
    rolloutsPerExample: 1,
    seed,
    ...(hasSplits ? { split } : {}),
  });
  return new Map(
    rollouts.flatMap(({ exampleIndex, completion: [reply] }) =>
      reply === undefined ? [] : [[exampleIndex, textOf(reply.content)] as const],
    ),
  );
}

function taskFolder(
  source: TrainingSource,
  { example, index, key }: KeyedExample,
  { answer, install }: { readonly answer: string | undefined; readonly install: string },
): readonly ExportFile[] {
  const { environment, split, hasSplits, seed, config, loaded } = source;
  const { name, definition } = environment;
  const folder = `${name}-${split}-${String(index).padStart(5, "0")}`;
  const { messages } = episode(environment, example, { key, seed });
  const grader: GraderOptions = {
    packageName: loaded.packageName!,
    install,
    config,
    split: hasSplits ? split : undefined,
    index,
    seed,
    answerFile,
  };
  const file = (path: string): string => `${folder}/${path}`;
  const instruction = `${messages.map(({ content }) => textOf(content)).join("\n\n")}

Write your complete answer to the file \`${answerFile}\`.
`;
  const description = definition.description ?? name;
  return [
    { path: file("instruction.md"), text: instruction },
    { path: file("task.toml"), text: taskToml(`${name}/${folder}`, description) },
    { path: file("environment/Dockerfile"), text: `FROM ${image}\n` },
    { path: file("tests/test.sh"), text: testScript(grader), isExecutable: true },
    { path: file("tests/grade.mjs"), text: graderModule(grader) },
    ...(answer === undefined
      ? []
      : [{ path: file("solution/solve.sh"), text: solutionScript(answer), isExecutable: true }]),
  ];
}

function taskToml(name: string, description: string): string {
  return `schema_version = "1.1"

[task]
name = ${quoteString(name)}
description = ${quoteString(description)}

[agent]
timeout_sec = 900.0

[verifier]
timeout_sec = 300.0

[environment]
docker_image = ${quoteString(image)}
build_timeout_sec = 600.0
cpus = 1
memory_mb = 2048
storage_mb = 4096
`;
}

/** In Base64, because an answer may contain the delimiter of a here-document. */
function solutionScript(answer: string): string {
  return `#!/usr/bin/env bash
set -euo pipefail
base64 --decode > ${answerFile} <<'ANSWER'
${Buffer.from(answer).toString("base64")}
ANSWER
`;
}
