import { judgedScores } from "@envs/core/engine";

import { describeEnvironment, exampleRollout } from "../environments/describe.ts";
import { installedEnvironments } from "../environments/installed-environments.ts";
import { findModule, loadEnvironment } from "../environments/load-environment.ts";
import { parseMix } from "../environments/mix-reference.ts";
import type { PackageJson } from "../environments/package-json.ts";
import { environmentHead, environmentSections } from "../info/environment-text.ts";
import { importIfInstalled } from "../packages/import-package.ts";
import { defineCommand } from "../terminal/command.ts";
import { argument, valueOption, flag } from "../terminal/options.ts";
import { formatTable, printResult } from "../terminal/output.ts";
import { paint } from "../terminal/text.ts";

export const command = defineCommand({
  meta: {
    name: "info",
    description:
      "Describe an environment: config, scores, tools and an example conversation. Searches the hub if the environment is not installed. Without an environment, list those of this project",
  },
  args: {
    environment: argument("A package or a path"),
    registry: valueOption("The hub (default: ENVS_HUB, or a scope's registry in .npmrc)", "url"),
    json: flag("Print JSON"),
  },
  async run({ args: { environment, registry, json = false } }): Promise<void> {
    if (environment === undefined) {
      const installed = await installedEnvironments(process.cwd());
      printResult(json, installed, environmentList(installed));
      return;
    }
    const isInstalled =
      parseMix(environment) !== undefined ||
      (registry === undefined && findModule(environment, process.cwd()) !== undefined);
    const isPath = /^[./\\]/.test(environment);
    const published =
      isInstalled || isPath ? undefined : await publishedText(environment, { registry, json });
    if (published === undefined) await printInstalled(environment, json);
    else process.stdout.write(`${published}\n`);
  },
});

/** Describes a package on a hub, for the option `--json` as JSON; returns `undefined` if no hub is configured. */
export type DescribePublished = (
  reference: string,
  options: { readonly registry: string | undefined; readonly json: boolean },
) => Promise<string | undefined>;

const publishedText: DescribePublished = async (reference, options) => {
  const hub = await importIfInstalled<{ readonly describePublished: DescribePublished }>(
    "hub-cli/commands",
  );
  return await hub?.describePublished(reference, options);
};

function environmentList(environments: readonly PackageJson[]): string {
  if (environments.length === 0)
    return "No environments found. Install one: envs install tictactoe. Create one: envs init";
  const rows = environments.map(({ name, version, description }) => [
    paint("bold", name ?? ""),
    version ?? "",
    description ?? "",
  ]);
  return formatTable(rows, "text");
}

async function printInstalled(reference: string, json: boolean): Promise<void> {
  const loaded = await loadEnvironment(reference);
  const description = await describeEnvironment(loaded);
  const played = await exampleRollout(loaded.factory());
  const rollout = played !== undefined && "rollout" in played ? played.rollout : undefined;
  const prompt = played !== undefined && "prompt" in played ? played.prompt : undefined;
  const messages = rollout === undefined ? prompt : [...rollout.prompt, ...rollout.completion];
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...description, example: messages })}\n`);
    return;
  }
  const { splits, policies } = description;
  const isJudged = judgedScores(loaded.factory()).length > 0;
  const reward = rollout?.status === "scored" && !isJudged ? rollout.reward : undefined;
  const view = {
    ...description,
    dataset: splits.length === 0 ? "no splits" : `splits: ${splits.join(", ")}`,
    example: messages && {
      policy: rollout === undefined ? undefined : policies[0],
      reward,
      messages,
      problem: played?.problem,
    },
  };
  const sections = environmentSections(view, process.stdout.columns);
  process.stdout.write(`${[...environmentHead(view), ...sections].join("\n")}\n`);
}
