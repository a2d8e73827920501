import { hubArguments, isHubConfigured, readFromHub } from "@envs/hub-cli/queries";
import { UsageError } from "@envs/terminal";
import { defineCommand } from "citty";

import { describeEnvironment } from "../environments/describe.ts";
import { exampleRollout } from "../environments/example-rollout.ts";
import { findModule } from "../environments/find-module.ts";
import { loadEnvironment } from "../environments/load-environment.ts";
import { environmentHead, environmentSections } from "../render/environment.ts";
import { hubPackage } from "../render/published-package.ts";

export const command = defineCommand({
  meta: {
    name: "info",
    description:
      "Describe an environment: config, scores, tools, an example conversation. One that is not here is looked for on a hub",
  },
  args: {
    environment: { type: "positional", required: false, description: "A package or a path" },
    ...hubArguments,
  },
  async run({ args: { environment, registry, json = false } }): Promise<void> {
    if (environment === undefined)
      throw new UsageError("Name an environment, for instance: envs info tictactoe");
    const isHere = registry === undefined && findModule(environment, process.cwd()) !== undefined;
    const isPath = /^[./\\]/.test(environment);
    const isOnHub = !isHere && !isPath && (await isHubConfigured(registry));
    await (isOnHub ? tellOfHub(environment, { registry, json }) : tellOfHere(environment, json));
  },
});

async function tellOfHere(reference: string, json: boolean): Promise<void> {
  const loaded = await loadEnvironment(reference);
  const description = await describeEnvironment(loaded);
  const played = await exampleRollout(loaded.factory());
  const messages = played && [...played.prompt, ...played.completion];
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...description, example: messages })}\n`);
    return;
  }
  const { splits, policies } = description;
  const reward = played?.status === "scored" ? played.reward : undefined;
  const shown = {
    ...description,
    dataset: splits.length === 0 ? "one, not divided" : `splits: ${splits.join(", ")}`,
    example: messages && { policy: policies[0], reward, messages },
  };
  const parts = environmentSections(shown, process.stdout.columns);
  process.stdout.write(`${[...environmentHead(shown), ...parts].join("\n")}\n`);
}

async function tellOfHub(
  reference: string,
  { registry, json }: { readonly registry: string | undefined; readonly json: boolean },
): Promise<void> {
  const { hub, found } = await readFromHub(reference, registry);
  const { install: _, ...facts } = found;
  process.stdout.write(
    json
      ? `${JSON.stringify({ hub, ...facts })}\n`
      : `${hubPackage(found, process.stdout.columns)}\n`,
  );
}
