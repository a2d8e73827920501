import { judgedScores } from "@envs/core/engine";
import type { PackageJson } from "@envs/hub-cli/package-json";
import { hubArguments, isHubConfigured, readFromHub } from "@envs/hub-cli/queries";
import { formatTable, paint, printResult } from "@envs/terminal";
import { defineCommand } from "citty";

import { describeEnvironment, exampleRollout } from "../environments/describe.ts";
import { installedEnvironments } from "../environments/installed-environments.ts";
import { findModule, loadEnvironment } from "../environments/load-environment.ts";
import { parseMix } from "../environments/mix-reference.ts";
import { environmentHead, environmentSections } from "../info/environment-text.ts";
import { publishedPackageText } from "../info/published-package-text.ts";

export const command = defineCommand({
  meta: {
    name: "info",
    description:
      "Describe an environment: config, scores, tools and an example conversation. Searches the hub if the environment is not installed. Without an environment, list those of this project",
  },
  args: {
    environment: { type: "positional", required: false, description: "A package or a path" },
    ...hubArguments,
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
    const isOnHub = !isInstalled && !isPath && (await isHubConfigured(registry));
    await (isOnHub
      ? printPublished(environment, { registry, json })
      : printInstalled(environment, json));
  },
});

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

async function printPublished(
  reference: string,
  { registry, json }: { readonly registry: string | undefined; readonly json: boolean },
): Promise<void> {
  const { hub, published } = await readFromHub(reference, registry);
  const { install: _, ...facts } = published;
  process.stdout.write(
    json
      ? `${JSON.stringify({ hub, ...facts })}\n`
      : `${publishedPackageText(published, process.stdout.columns)}\n`,
  );
}
