/** The example to grade and the environment that grades it. */
export interface GraderOptions {
  readonly packageName: string;
  /** The package specifier for `npm install`. */
  readonly install: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly split: string | undefined;
  readonly index: number;
  readonly seed: number;
  readonly answerFile: string;
}

/** A script that installs the environment and runs the grader. It installs only after the agent has finished, because the package may contain the answers. */
export function testScript({ install, answerFile }: GraderOptions): string {
  const scope = /^@[^/]+/.exec(install)?.[0];
  return `#!/usr/bin/env bash
# Scores the answer with the environment's rubric.
set -euo pipefail
tests="$(cd "$(dirname "$0")" && pwd)"
grader="$(mktemp -d)"
cp "$tests/grade.mjs" "$grader/"
cd "$grader"
echo '{"private":true,"type":"module"}' > package.json
if [ -d "$tests/packages" ]; then
  npm install --silent --no-audit --no-fund "$tests"/packages/*.tgz
${scope === undefined ? "" : unmappedScope(scope)}else
  npm install --silent --no-audit --no-fund '${install}' || {
    echo 'npm could not install ${install}. Publish it to the registry of this sandbox, or put tarballs into tests/packages.' >&2
    exit 1
  }
fi
mkdir -p /logs/verifier
node grade.mjs ${answerFile} /logs/verifier/reward.json
`;
}

/** On a registry that does not know the scope, a stranger may own it, and the package would be theirs. */
function unmappedScope(scope: string): string {
  return `elif [ "$(npm config get ${scope}:registry)" = undefined ]; then
  echo 'No registry is configured for ${scope} in this sandbox. Add "${scope}:registry=<URL of the hub>" to its .npmrc, or put tarballs into tests/packages.' >&2
  exit 1
`;
}

/** A program that sends the answer to the environment and writes the reward. */
export function graderModule(options: GraderOptions): string {
  const { packageName, config, split, index, seed } = options;
  return `// node grade.mjs <answer> <reward.json>
import { existsSync, readFileSync, writeFileSync } from "node:fs";

import { episode, examples } from "@envs/core/engine";
import factory from ${JSON.stringify(packageName)};

const [answerFile, rewardFile] = process.argv.slice(2);
const environment = factory(${JSON.stringify(config)});
const rows = examples(environment, ${JSON.stringify({ seed, split, count: index + 1 })});
const { example, key } = (await Array.fromAsync(rows))[${index}];
const played = episode(environment, example, { key, seed: ${seed} });
await played.start();
// Without a file, the answer is empty.
const content = existsSync(answerFile) ? readFileSync(answerFile, "utf8") : "";
await played.step({ role: "assistant", content });
const { reward, scores } = await played.score();
const applied = Object.entries(scores).filter(([name, score]) => name !== "reward" && score !== null);
writeFileSync(rewardFile, JSON.stringify({ reward, ...Object.fromEntries(applied) }));
await played.close();
`;
}
