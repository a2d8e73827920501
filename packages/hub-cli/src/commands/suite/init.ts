import { resolve } from "node:path";

import { defineCommand, success, UsageError, argument, valueOption } from "@envs/cli/kit";
import { suiteFile } from "@envs/hub-client";

import { writeSuite } from "../../suite/write-suite.ts";

export const command = defineCommand({
  meta: {
    name: "suite init",
    description:
      "Create the package of a suite: a locked list of environments, versions, configs and seeds",
  },
  args: {
    name: argument("The package's name, such as @you/my-suite, then the environments to lock"),
    directory: valueOption("Folder to write to (default: the name without its scope)", "folder"),
  },
  maxPositionals: Infinity,
  async run({ args }): Promise<number> {
    const [name, ...environments] = args._;
    if (name === undefined || environments.length === 0)
      throw new UsageError(
        "Missing name or environments. Example: envs suite init @you/games tictactoe @you/chess",
      );
    const folder = resolve(args.directory ?? name.split("/").at(-1)!);
    await writeSuite({ folder, name, environments });
    process.stdout.write(
      `${success(folder)}\n  package.json\n  ${suiteFile}\n\nEdit configs, seeds and numbers of examples, then: envs suite publish ${folder}\n`,
    );
    return 0;
  },
});
