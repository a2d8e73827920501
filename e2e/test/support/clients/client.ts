import { join } from "node:path";

import type { Finished } from "../command-line.ts";
import type { Verb, Verbs } from "./verbs.ts";
import { createWorkplace, type Run, type RunOptions, type Workplace } from "./workplace.ts";

/** A registry, and the scope whose packages it serves. */
export interface Registry {
  readonly url: string;
  readonly scope: string;
}

/** The command, settings and arguments of a package manager. */
export interface ClientKind {
  readonly command: readonly string[];
  /** The file that configures the registry, relative to the working folder. */
  settings(registry: Registry): { readonly file: string; readonly text: string };
  verbs(registry: Registry): Verbs;
  /** The command of a login in the browser. */
  login(registry: Registry): readonly string[];
}

/** A package manager in its own workplace, configured for a registry. */
export interface Client extends AsyncDisposable {
  readonly workplace: Workplace;
  /** Runs a command. Throws an error with the output if the exit code is not 0. */
  run(verb: Verb, ...args: readonly string[]): Promise<Finished>;
  /** Runs a command and accepts any exit code. */
  tryRun(verb: Verb, ...args: readonly string[]): Promise<Finished>;
  /** Returns the same client with other options. */
  with(options: RunOptions): Pick<Client, "run" | "tryRun">;
  /** Logs in through the browser. `approve` receives the URL of the page. The client saves the token. */
  login(approve: (url: string) => Promise<void>): Promise<void>;
}

/** Whether a client has a command for the verb. */
export function supports(kind: ClientKind, verb: Verb): boolean {
  return kind.verbs({ url: "http://localhost", scope: "scope" })[verb] !== undefined;
}

/** Creates an empty workplace with a client that is configured for the registry. */
export async function startClient(kind: ClientKind, registry: Registry): Promise<Client> {
  const workplace = await createWorkplace();
  const { file, text } = kind.settings(registry);
  await workplace.write(join(workplace.project, file), text);
  const runCommand = workplace.start(kind.command);
  const verbs = kind.verbs(registry);
  const runner = (options: RunOptions): Pick<Client, "run" | "tryRun"> => {
    const tryRun: Client["tryRun"] = (verb, ...args) => {
      const argumentsFor = verbs[verb];
      if (argumentsFor === undefined)
        throw new Error(`This client does not support the verb “${verb}”.`);
      return runCommand(argumentsFor(...args), options);
    };
    return {
      tryRun,
      async run(verb, ...args) {
        const finished = await tryRun(verb, ...args);
        if (finished.code === 0) return finished;
        const { code, stdout, stderr } = finished;
        const command = [verb, ...args].join(" ");
        throw new Error([`“${command}” exited with ${code}.`, stdout, stderr].join("\n"));
      },
    };
  };
  return {
    workplace,
    ...runner({}),
    with: runner,
    login: (approve) => webLogin(registry, workplace.start(kind.login(registry)), approve),
    [Symbol.asyncDispose]: () => workplace[Symbol.asyncDispose](),
  };
}

/** Runs a command that prints a URL of the registry, passes it to `approve`, and waits until both end. */
async function webLogin(
  { url }: Registry,
  run: Run,
  approve: (url: string) => Promise<void>,
): Promise<void> {
  let approval: Promise<void> | undefined;
  let isAnswered = false;
  const { code, stdout, stderr } = await run([], {
    atTerminal: (printed, type) => {
      // Prevents Yarn from opening this machine's browser.
      if (!isAnswered && printed.includes("open your browser")) {
        isAnswered = true;
        type("n\r");
      }
      // Some clients print the registry's URL first, and the last word may be incomplete.
      const page = printed
        .split(/\s/u)
        .find((word) => word.startsWith(`${url}/`) && word !== `${url}/`);
      if (page !== undefined && !printed.endsWith(page)) approval ??= approve(page);
    },
  });
  const printed = `${stdout}\n${stderr}`;
  if (approval === undefined)
    throw new Error(`The login did not print a URL of the registry:\n${printed}`);
  await approval;
  if (code !== 0) throw new Error(`The login exited with ${code}:\n${printed}`);
}
