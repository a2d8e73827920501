import { join, resolve } from "node:path";

import {
  argument,
  defineCommand,
  FailureError,
  loadConfigFile,
  saveOption,
  UsageError,
  valueOption,
} from "@envs/cli/kit";
import { installVersion } from "@envs/cli/kit/environments";
import { judgeArguments, judgePlan, subModelArguments, subModelPlan } from "@envs/cli/kit/models";
import { runPlan } from "@envs/cli/kit/runs";
import type { HubPlay } from "@envs/hub-client";

import { hubArguments } from "../connection/connect.ts";
import { recipePlan } from "../runs/recipe-plan.ts";
import { readHubRun, serverArguments } from "../runs/run-connection.ts";

export const command = defineCommand({
  meta: {
    name: "run reproduce",
    description:
      "Repeat an evaluation of a hub: install exactly the package that it was played on, run its recipe again, and push the result. The hub marks the run as reproduced if it is of another user, the replies are new, and the intervals of both overlap",
  },
  everydayOptions: [
    "model",
    "base-url",
    "api-key-var",
    "judge",
    "sub-model",
    "save",
    "registry",
    "json",
    "quiet",
  ],
  args: {
    run: argument("The id of a run on the hub, or the address of its page"),
    model: valueOption(
      "How to reach the model of the run, if its name is not enough",
      "model",
      "m",
    ),
    ...serverArguments,
    ...judgeArguments,
    ...subModelArguments,
    "on-hub": {
      type: "boolean",
      description: "Let the hub play the recipe, instead of this machine; for the run's owner",
    },
    save: saveOption,
    quiet: { type: "boolean", alias: "q", description: "Do not show progress" },
    ...hubArguments,
  },
  async run({ args }): Promise<number> {
    const { registry, json, save } = args;
    if (args.run === undefined)
      throw new UsageError("Missing run. Example: envs run reproduce 1f0c9a7d2b3e4f5a");
    const { connection, run } = await readHubRun(args.run, {
      command: "envs run reproduce",
      registry,
    });
    const { recipe, id, kind } = run;
    if (kind !== "evaluation")
      throw new FailureError(`The run ${id} is a training. Only evaluations can be reproduced.`);
    if (args["on-hub"] === true) {
      const play = await connection.client.requestPlay({ run: id });
      process.stdout.write(
        json === true ? `${JSON.stringify(play)}\n` : playText(play, connection.url, id),
      );
      return 0;
    }
    const { package: name, version, integrity } = recipe;
    const folder = resolve(join(save, "reproductions", id));
    const path = await installVersion(folder, { name, version, integrity }, connection.url);
    const { endpoints } = await loadConfigFile(undefined);
    const access = {
      model: args.model,
      baseURL: args["base-url"],
      apiKeyVariable: args["api-key-var"],
      ...judgePlan(args),
      ...subModelPlan(args),
    };
    const result = await runPlan(recipePlan(run, path, access), {
      endpoints,
      outputs: save,
      resume: undefined,
      isJson: json === true,
      isQuiet: args.quiet === true,
      push: { registry: connection.url },
    });
    if (json === true) process.stdout.write(`${JSON.stringify(result.json)}\n`);
    return result.exitCode;
  },
});

function playText(play: HubPlay, url: string, id: string): string {
  if (play.outcome === "played") return `The hub has played this run: ${url}/run/${play.run}\n`;
  const reason = play.outcome === "waiting" ? play.reason : undefined;
  return `The hub will play this run. ${reason ?? "Its page shows the result."}\n${url}/run/${id}\n`;
}
