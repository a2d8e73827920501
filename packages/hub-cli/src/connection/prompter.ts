import { text as streamText } from "node:stream/consumers";

import { askPassword, askText, FailureError } from "@envs/terminal";

/** Whoever sits at the terminal, if anybody does. */
export interface Person {
  /** Whether somebody may see an address and open it. */
  readonly canApprove: boolean;
  /** Shows them something, beside what the command prints. */
  readonly told: (message: string) => void;
  /** The code that their app shows; `undefined` if nobody can be asked. */
  readonly oneTimePassword: () => Promise<string | undefined>;
  readonly name: () => Promise<string | undefined>;
  /** What they type without its being seen, or the first line of what is piped in. */
  readonly password: () => Promise<string>;
}

/** Who sits at the terminal of this process. */
export function whoIsHere(): Person {
  const canType = process.stdin.isTTY && process.stderr.isTTY;
  const options = {
    output: process.stderr,
    onCancel: () => new FailureError("Cancelled. Nothing was changed."),
  };
  const answer = async (message: string): Promise<string | undefined> =>
    canType ? await askText({ message, ...options }) : undefined;
  return {
    canApprove: (process.env["CI"] ?? "") === "",
    told: (message) => void process.stderr.write(`${message}\n`),
    oneTimePassword: () => answer("One-time password"),
    name: () => answer("Name"),
    password: async () =>
      canType ? await askPassword({ message: "Password", ...options }) : await pipedLine(),
  };
}

async function pipedLine(): Promise<string> {
  if (process.stdin.isTTY) return "";
  const [line = ""] = (await streamText(process.stdin)).split(/\r?\n/, 1);
  return line;
}
