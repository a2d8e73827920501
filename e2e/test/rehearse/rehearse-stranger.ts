import { readdir } from "node:fs/promises";
import { join } from "node:path";

import type { User } from "../support/hub/publishing.ts";
import { expectPublished, saveLogin } from "./hub.ts";
import { emptyMachine } from "./machine.ts";
import type { Stages } from "./stages.ts";
import type { Stranger } from "./strangers.ts";

/** Creates, checks, evaluates, views, builds and publishes an environment on an empty machine. */
export async function rehearseStranger(
  stranger: Stranger,
  publisher: User,
  stages: Stages,
): Promise<void> {
  const { manager, create, publish, variables } = stranger;
  await using machine = await emptyMachine(stranger);
  const name = `game-by-${manager}`;
  const folder = join(machine.folder, name);
  const inFolder = (...args: readonly string[]) => machine.run([manager, ...args], { folder });

  await stages.run(`${manager}: create`, () =>
    machine.run([manager, ...create(name, publisher.hub)], {
      folder: machine.folder,
      variables: variables(publisher.hub),
    }),
  );
  await stages.run(
    `${manager}: install`,
    async () => {
      await inFolder("install");
      return await readdir(join(folder, "node_modules"));
    },
    (names) => `${names.length} folders in node_modules`,
  );
  await stages.run(`${manager}: check`, () => inFolder("run", "check"));
  await stages.run(`${manager}: test`, () => inFolder("run", "test"));
  await stages.run(
    `${manager}: evaluate`,
    () => inFolder("run", "eval"),
    (output) => /reward.*/.exec(output)?.[0] ?? "",
  );
  await stages.run(`${manager}: view`, () =>
    machine.serve([manager, "run", "view"], { folder }, expectPage),
  );
  const seconds = stages.secondsOf(
    ["check", "evaluate", "view"].map((stage) => `${manager}: ${stage}`),
  );
  if (seconds > 60)
    throw new Error(`After its install, ${name} took ${seconds.toFixed(0)} s until the viewer.`);
  await stages.run(`${manager}: build`, () => inFolder("run", "build"));
  await stages.run(`${manager}: publish`, async () => {
    await saveLogin(machine.npmrc, publisher);
    await inFolder(...publish);
    await expectPublished(publisher.hub, [
      { name: `@${publisher.name}/${name}`, version: "0.1.0" },
    ]);
  });
}

/** Throws an error unless an address answers with a page. */
async function expectPage(address: string): Promise<void> {
  const response = await fetch(address);
  const html = await response.text();
  if (response.status !== 200 || !html.includes("<script"))
    throw new Error(`${address} answered ${response.status}: ${html.slice(0, 200)}`);
}
