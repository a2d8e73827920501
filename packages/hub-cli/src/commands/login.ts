import { FailureError, onInterrupt, paint } from "@envs/terminal";
import { defineCommand } from "citty";

import { here, shown } from "../config/context.ts";
import { connectTo, hubArguments, otpArgument } from "../connection/connect.ts";
import { whichHub } from "../connection/hub-address.ts";
import { logInByPassword, logInByWeb, whoAmI } from "../connection/log-in.ts";
import { whoIsHere } from "../connection/prompter.ts";
import { keepToken, keepUserScope } from "../connection/token-store.ts";
import { checkScope } from "../packages/package-spec.ts";

export const command = defineCommand({
  meta: {
    name: "login",
    description:
      "Log in to a hub: on a page of it that you open, or with a password. The token is kept in your own .npmrc, where npm, pnpm, Yarn 1 and bun find it, too",
  },
  args: {
    scope: {
      type: "string",
      description: "A scope whose packages come from this hub in all your projects, such as @envs",
      valueHint: "@scope",
    },
    password: { type: "boolean", description: "Ask for a password, which may also be piped in" },
    user: { type: "string", description: "Your name on the hub, with --password" },
    ...otpArgument,
    ...hubArguments,
  },
  async run({ args }): Promise<void> {
    const { registry, user, otp } = args;
    const scope = args.scope === undefined ? undefined : scopeIn(args.scope);
    const [place, person] = [here(), whoIsHere()];
    const address = await whichHub(place, { registry, scope });
    const { signal, dispose } = onInterrupt(() => {});
    const way = { command: "envs login", person, otp, signal };
    try {
      const stranger = connectTo(address, way);
      const token =
        args.password === true
          ? await logInByPassword(stranger, person, user)
          : await logInByWeb(stranger, person, signal);
      const name = await whoAmI(connectTo(address, { ...way, token }));
      const file = await keepToken(place, address.url, token);
      if (scope !== undefined) await keepUserScope(place, scope, address.url);
      process.stdout.write(
        args.json === true
          ? `${JSON.stringify({ hub: address.url, user: name, file, scope: scope ?? null })}\n`
          : `${paint("green", "✓")} Logged in to ${address.url} as ${paint("bold", name)}. The token is in ${shown(file, place)}.\n`,
      );
    } catch (error) {
      if (signal.aborted) throw new FailureError("Interrupted. Nothing was changed.");
      throw error;
    } finally {
      dispose();
    }
  },
});

function scopeIn(text: string): string {
  const scope = text.replace(/^@/, "");
  checkScope(scope);
  return `@${scope}`;
}
