import { evaluate, policy } from "@envs/core";
import { episode, examples, type KeyedExample, maxTurnsOf } from "@envs/core/engine";
import { UsageError } from "@envs/terminal";

import { bestPolicyOf } from "../../environments/example-rollout.ts";
import {
  collect,
  type Exported,
  type ExportedFile,
  quoted,
  type TrainingSource,
} from "../format.ts";
import { gradeModule, type GraderOptions, testScript } from "./harbor-grader.ts";

/** Where the agent writes what it has to say. */
const answerFile = "/answer.txt";
const image = "node:24-slim";

/** A folder of Harbor for each example: the agent answers in a file, the environment's own rubric scores it. */
export async function harbor(source: TrainingSource): Promise<Exported> {
  const { environment, loaded, count, split, isDivided, seed } = source;
  checkFits(source);
  const rows = await collect(
    examples(environment, { count, seed, ...(isDivided ? { split } : {}) }),
  );
  const answers = await bestAnswers(source);
  const { packageName, version = "" } = loaded;
  const install = `${packageName}@${version}`;
  const files = rows.flatMap((row) =>
    taskFolder(source, row, { answer: answers.get(row.index), install }),
  );
  return {
    files,
    notes: [
      `Tests install ${install} with npm: it must be in the registry that the sandbox uses, or as a tarball in each tests/packages.`,
    ],
  };
}

function checkFits({ environment, loaded }: TrainingSource): void {
  const { name, definition } = environment;
  const is =
    definition.tools !== undefined
      ? "has tools"
      : definition.respond !== undefined || maxTurnsOf(environment) > 1
        ? "answers back"
        : undefined;
  if (is !== undefined)
    throw new UsageError(
      `${name} ${is}. A task of Harbor is one instruction and one test at the end, so only environments of a single turn fit. Serve it instead: envs serve ${loaded.reference}`,
    );
  if (loaded.packageName === undefined)
    throw new UsageError(
      `${loaded.reference} is a file without a package. The test of a task installs the environment, so it needs one: envs init`,
    );
}

/** What the best policy says to each example, by index: the solution that shows that a task can be solved. */
async function bestAnswers(source: TrainingSource): Promise<ReadonlyMap<number, string>> {
  const { environment, count, split, isDivided, seed } = source;
  const best = bestPolicyOf(environment);
  if (best === undefined) return new Map();
  const { rollouts } = await evaluate(environment, {
    model: policy(best),
    examples: count,
    rolloutsPerExample: 1,
    seed,
    ...(isDivided ? { split } : {}),
  });
  return new Map(
    rollouts.flatMap(({ exampleIndex, completion }) => {
      const [said] = completion;
      return said === undefined ? [] : [[exampleIndex, said.content] as const];
    }),
  );
}

function taskFolder(
  source: TrainingSource,
  { example, index, key }: KeyedExample,
  { answer, install }: { readonly answer: string | undefined; readonly install: string },
): readonly ExportedFile[] {
  const { environment, split, isDivided, seed, config, loaded } = source;
  const { name, definition } = environment;
  const folder = `${name}-${split}-${String(index).padStart(5, "0")}`;
  const { messages } = episode(environment, example, { key, seed });
  const grader: GraderOptions = {
    packageName: loaded.packageName!,
    install,
    config,
    split: isDivided ? split : undefined,
    index,
    seed,
    answerFile,
  };
  const within = (path: string): string => `${folder}/${path}`;
  const instruction = `${messages.map(({ content }) => content).join("\n\n")}

Write your whole answer, as you would send it, to the file \`${answerFile}\`.
`;
  const description = definition.description ?? name;
  return [
    { path: within("instruction.md"), text: instruction },
    { path: within("task.toml"), text: taskToml(`${name}/${folder}`, description) },
    { path: within("environment/Dockerfile"), text: `FROM ${image}\n` },
    { path: within("tests/test.sh"), text: testScript(grader), isProgram: true },
    { path: within("tests/grade.mjs"), text: gradeModule(grader) },
    ...(answer === undefined
      ? []
      : [{ path: within("solution/solve.sh"), text: solution(answer), isProgram: true }]),
  ];
}

function taskToml(name: string, description: string): string {
  return `schema_version = "1.1"

[task]
name = ${quoted(name)}
description = ${quoted(description)}

[agent]
timeout_sec = 900.0

[verifier]
timeout_sec = 300.0

[environment]
docker_image = ${quoted(image)}
build_timeout_sec = 600.0
cpus = 1
memory_mb = 2048
storage_mb = 4096
`;
}

/** In Base64: an answer may hold whatever ends a here-document. */
function solution(answer: string): string {
  return `#!/usr/bin/env bash
set -euo pipefail
base64 --decode > ${answerFile} <<'ANSWER'
${Buffer.from(answer).toString("base64")}
ANSWER
`;
}
