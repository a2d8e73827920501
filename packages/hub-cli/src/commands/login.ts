import {
  checkScope,
  defineCommand,
  FailureError,
  flag,
  onInterrupt,
  ownScope,
  paint,
  printResult,
  success,
  valueOption,
} from "@envs/cli/kit";

import { displayPath, processContext } from "../config/context.ts";
import { connectTo, hubArguments, otpArgument } from "../connection/connect.ts";
import { logInByPassword, logInByWeb, readUsername } from "../connection/log-in.ts";
import { terminalPrompter } from "../connection/prompter.ts";
import { resolveHub } from "../connection/resolve-hub.ts";
import { saveToken, saveUserScope } from "../connection/token-store.ts";
import { normaliseScope } from "../packages/find-package.ts";

export const command = defineCommand({
  meta: {
    name: "hub login",
    description:
      "Log in to a hub in the browser, or with a password. Saves the token in your own .npmrc, which npm, pnpm, Yarn 1 and bun read, too",
  },
  args: {
    scope: valueOption(
      `A scope to map to this hub in all your projects, such as ${ownScope}`,
      "@scope",
    ),
    password: flag("Ask for a password, or read it from stdin"),
    user: valueOption("Your username on the hub, with --password"),
    ...otpArgument,
    ...hubArguments,
  },
  async run({ args }): Promise<void> {
    const { registry, user, otp } = args;
    const scope = args.scope === undefined ? undefined : parseScope(args.scope);
    const [context, prompter] = [processContext(), terminalPrompter()];
    const address = await resolveHub(context, { registry, scope });
    const { signal, dispose } = onInterrupt(() => {});
    const options = { command: "envs hub login", prompter, otp, signal };
    try {
      const connection = connectTo(address, options);
      const token =
        args.password === true
          ? await logInByPassword(connection, prompter, user)
          : await logInByWeb(connection, prompter, signal);
      const name = await readUsername(connectTo(address, { ...options, token }));
      const file = await saveToken(context, address.url, token);
      if (scope !== undefined) await saveUserScope(context, scope, address.url);
      printResult(
        args.json,
        { hub: address.url, user: name, file, scope: scope ?? null },
        success(
          `Logged in to ${address.url} as ${paint("bold", name)}. The token is in ${displayPath(file, context)}.`,
        ),
      );
    } catch (error) {
      if (signal.aborted) throw new FailureError("Interrupted. Nothing was changed.");
      throw error;
    } finally {
      dispose();
    }
  },
});

function parseScope(text: string): string {
  const scope = normaliseScope(text);
  checkScope(scope.slice(1));
  return scope;
}
