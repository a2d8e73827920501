import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { chatServer } from "@envs/models/server";

import { demoAccount } from "./account.ts";
import { envs } from "./command-line.ts";
import { evaluations, recordedEvaluations, recordedModel, sumsPolicies } from "./evaluations.ts";
import type { HubProcess } from "./hub-process.ts";
import { replayModel } from "./recording.ts";
import { stepsIn } from "./steps.ts";
import { sumsVersions, writeSums } from "./sums.ts";

const recipe = join(import.meta.dirname, "../train.config.ts");

/** Publishes an environment in two versions, plays and pushes runs, and trains. A repeated call continues an interrupted one. */
export async function fillHub(hub: HubProcess): Promise<void> {
  const folder = join(hub.data, "demo");
  await mkdir(folder, { recursive: true });
  const account = await demoAccount(hub);
  const step = await stepsIn(join(folder, "finished.json"));
  const toHub = ["--registry", hub.url];
  const saved = ["--save", join(folder, "outputs"), "--quiet"];
  const run = (args: readonly string[], cwd?: string): Promise<string> =>
    envs(args, { cwd, variables: { ENVS_HUB_TOKEN: account.token } });
  for (const [model, ...evaluation] of evaluations)
    await step(["eval", ...evaluation, "-m", model], async () => {
      await run(["eval", ...evaluation, "-m", model, ...saved, "--push", ...toHub]);
    });

  // The environments judge recorded replies like those of a running model. They fit the recorded seed, so the runs are not declared.
  const server = await chatServer(await replayModel(recordedModel), { port: 0 });
  for (const evaluation of recordedEvaluations)
    await step(["eval", ...evaluation, "-m", recordedModel], async () => {
      const model = ["-m", recordedModel, "--base-url", server.url, "-c", "1"];
      const { run: played } = JSON.parse(
        await run(["eval", ...evaluation, ...model, ...saved, "--json"]),
      ) as { run: string };
      await run(["run", "push", played, ...toHub]);
    });
  await server.close();

  for (const version of sumsVersions) {
    const sums = await writeSums(version);
    await run(["build"], sums);
    await step(["publish", `@demo/sums@${version}`], async () => {
      // The branch and the changes of the repository around the folder do not matter here.
      await run(["publish", ...toHub, "--", "--no-git-checks"], sums);
    });
    for (const policy of sumsPolicies) {
      // Two declared runs share examples for certain only if both play all of them.
      const options = ["-m", `policy:${policy}`, "-n", "all", "-r", "2"];
      await step(["eval", `@demo/sums@${version}`, ...options], async () => {
        await run(["eval", ".", ...options, ...saved, "--push", ...toHub], sums);
      });
    }
  }

  await step(["train", "tictactoe", "--config", "demo/train.config.ts"], async () => {
    const output = await run(["train", "tictactoe", "--config", recipe, ...saved, "--json"]);
    const { run: training } = JSON.parse(output) as { run: string };
    await run(["run", "push", training, ...toHub]);
  });
  process.stdout.write(
    `The demo is complete: ${hub.url}\n  Log in as ${account.name} with the password ${account.password}\n`,
  );
}
