import { text as streamText } from "node:stream/consumers";

import { askChoice, askPassword, askText, FailureError } from "@envs/cli/kit";

/** Asks the user at the terminal, if there is one. */
export interface Prompter {
  /** Whether a user may read an address and open it in a browser: not in CI. */
  readonly canApprove: boolean;
  /** Shows a message on stderr. */
  readonly notify: (message: string) => void;
  /** Asks the user to select a name; the text of each is shown beside it. Returns `undefined` without a terminal. */
  readonly choice: (
    message: string,
    choices: Readonly<Record<string, string>>,
  ) => Promise<string | undefined>;
  /** Returns `undefined` if the process has no terminal. */
  readonly oneTimePassword: () => Promise<string | undefined>;
  /** Returns `undefined` if the process has no terminal. */
  readonly username: () => Promise<string | undefined>;
  /** Asks without echo; without a terminal, reads the first line of stdin. */
  readonly password: () => Promise<string>;
}

/** The prompter of this process. */
export function terminalPrompter(): Prompter {
  const isInteractive = process.stdin.isTTY && process.stderr.isTTY;
  const options = {
    output: process.stderr,
    onCancel: () => new FailureError("Cancelled. Nothing was changed."),
  };
  const ask = async (message: string): Promise<string | undefined> =>
    isInteractive ? await askText({ message, ...options }) : undefined;
  return {
    canApprove: (process.env["CI"] ?? "") === "",
    notify: (message) => void process.stderr.write(`${message}\n`),
    choice: async (message, choices) =>
      isInteractive ? await askChoice({ message, choices, ...options }) : undefined,
    oneTimePassword: () => ask("One-time password"),
    username: () => ask("Username"),
    password: async () =>
      isInteractive ? await askPassword({ message: "Password", ...options }) : await pipedLine(),
  };
}

async function pipedLine(): Promise<string> {
  if (process.stdin.isTTY) return "";
  const [line = ""] = (await streamText(process.stdin)).split(/\r?\n/, 1);
  return line;
}
