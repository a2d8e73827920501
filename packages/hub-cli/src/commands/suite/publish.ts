import { argument, type EnvsCommand, runEnvs, UsageError } from "@envs/cli/kit";
import { loadEnvironment } from "@envs/cli/kit/environments";

import { hubArguments, otpArgument } from "../../connection/connect.ts";
import { environmentOf, readSuite } from "../../suite/suite-file.ts";

const options = {
  folder: argument("The suite's folder (default .)"),
  ...otpArgument,
  registry: hubArguments.registry,
} as const;

export const command: EnvsCommand<typeof options> = {
  meta: {
    name: "suite publish",
    description:
      "Check that each environment of a suite is installed in its locked version and accepts its config, then publish the package",
  },
  args: options,
  async run({ args }): Promise<number> {
    const suite = await readSuite(args.folder ?? ".");
    for (const entry of suite.entries) {
      const { factory } = await loadEnvironment(await environmentOf(suite, entry));
      try {
        factory(entry.config);
      } catch (error) {
        throw new UsageError(
          `${entry.environment} does not accept its config in ${suite.name}. ${(error as Error).message}`,
        );
      }
    }
    const options = Object.entries({ registry: args.registry, otp: args.otp }).flatMap(
      ([name, value]) => (value === undefined ? [] : [`--${name}`, value]),
    );
    await runEnvs(suite.root, ["publish", ".", ...options]);
    return 0;
  },
};
