import { text as streamText } from "node:stream/consumers";

import { isCancel, password, text } from "@clack/prompts";
import { FailureError } from "@envs/terminal";

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
  const asked = async (question: () => Promise<string | symbol>): Promise<string | undefined> => {
    if (!canType) return undefined;
    const answer = await question();
    if (isCancel(answer)) throw new FailureError("Nothing was changed.");
    return answer as string;
  };
  const output = process.stderr;
  return {
    canApprove: (process.env["CI"] ?? "") === "",
    told: (message) => void output.write(`${message}\n`),
    oneTimePassword: () => asked(() => text({ message: "One-time password", output })),
    name: () => asked(() => text({ message: "Name", output })),
    password: async () =>
      (await asked(() => password({ message: "Password", output }))) ?? (await pipedLine()),
  };
}

async function pipedLine(): Promise<string> {
  if (process.stdin.isTTY) return "";
  const [line = ""] = (await streamText(process.stdin)).split(/\r?\n/, 1);
  return line;
}
