import { defineCommand, paint, success, argument, flag } from "@envs/cli/kit";

import { installPython } from "../install.ts";

export const command = defineCommand({
  meta: {
    name: "sandbox install",
    description:
      "Download the Python packages of an environment's python({ packages }), and make the snapshot that Python starts from. Pyodide's authors compiled some, such as numpy; all others come from PyPI through pip or uv. Pass all packages of one environment at once",
  },
  args: {
    packages: argument("Python packages, such as numpy or sympy==1.14.0. Default: none"),
    json: flag("Print one JSON object"),
  },
  maxPositionals: Infinity,
  async run({ args }): Promise<number> {
    const installation = await installPython({
      packages: args._,
      onStep: (step) => process.stderr.write(`${paint("dim", `${step} …`)}\n`),
    });
    const { packages, snapshot } = installation;
    process.stdout.write(
      args.json === true
        ? `${JSON.stringify(installation)}\n`
        : `${success(["Python", ...packages].join(" "))} ${paint("dim", snapshot)}\n`,
    );
    return 0;
  },
});
