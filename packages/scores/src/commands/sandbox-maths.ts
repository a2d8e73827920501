import { paint, success, defineCommand } from "@envs/cli/kit";

import { installMathVerify } from "../maths/install.ts";

export const command = defineCommand({
  meta: {
    name: "sandbox maths",
    description:
      "Download Math-Verify, which compares mathematical answers, from PyPI through pip or uv",
  },
  args: { json: { type: "boolean", description: "Print one JSON object" } },
  async run({ args: { json } }): Promise<number> {
    const installation = await installMathVerify({
      onStep: (step) => process.stderr.write(`${paint("dim", `${step} …`)}\n`),
    });
    const { folder, isNew } = installation;
    const state = isNew ? "" : paint("dim", " was installed already");
    process.stdout.write(
      json === true ? `${JSON.stringify(installation)}\n` : `${success(folder)}${state}\n`,
    );
    return 0;
  },
});
