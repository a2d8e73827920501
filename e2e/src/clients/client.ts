import type { Finished } from "../command-line.ts";
import type { Verb, Verbs } from "./verbs.ts";
import type { Run, Workplace } from "./workplace.ts";

/** A package manager in a workplace of its own, set up for a hub that has the scope `@envs`. */
export interface Client {
  readonly name: string;
  readonly place: Workplace;
  has(verb: Verb): boolean;
  /** Does it, and fails with all that was printed unless the client says that it is done. */
  does(verb: Verb, ...things: readonly string[]): Promise<Finished>;
  /** Does it in another folder. */
  doesIn(folder: string, verb: Verb, ...things: readonly string[]): Promise<Finished>;
  /** Does it, whatever comes of it. */
  tries(verb: Verb, ...things: readonly string[]): Promise<Finished>;
  /** Logs in by the web, and leaves the token where the client looks for it. */
  login(approve: (url: string) => Promise<void>): Promise<void>;
}

/** What is said of a client to make one. */
export interface ClientParts {
  readonly name: string;
  readonly place: Workplace;
  readonly run: Run;
  readonly verbs: Verbs;
  readonly login: Client["login"];
}

/** Puts a client together. */
export function client({ name, place, run, verbs, login }: ClientParts): Client {
  const start = (
    folder: string | undefined,
    verb: Verb,
    things: readonly string[],
  ): Promise<Finished> => {
    const args = verbs[verb];
    if (args === undefined) throw new Error(`${name} has no word for “${verb}”.`);
    return run(args(...things), folder === undefined ? {} : { folder });
  };
  const succeeds = async (doing: Promise<Finished>, what: string): Promise<Finished> => {
    const finished = await doing;
    if (finished.code === 0) return finished;
    throw new Error(
      [`${name} ${what} ends with ${finished.code}.`, finished.stdout, finished.stderr].join("\n"),
    );
  };
  return {
    name,
    place,
    has: (verb) => verbs[verb] !== undefined,
    does: (verb, ...things) =>
      succeeds(start(undefined, verb, things), [verb, ...things].join(" ")),
    doesIn: (folder, verb, ...things) =>
      succeeds(start(folder, verb, things), [verb, ...things].join(" ")),
    tries: (verb, ...things) => start(undefined, verb, things),
    login,
  };
}

/** Runs a command that prints a page of the hub, and waits until somebody has been there. */
export async function webLogin(
  hub: string,
  command: readonly [run: Run, args: readonly string[]],
  approve: (url: string) => Promise<void>,
): Promise<void> {
  const [run, args] = command;
  let approval: Promise<void> | undefined;
  let isAsked = false;
  const { code, stdout, stderr } = await run(args, {
    onOutput: (printed, type) => {
      // Yarn would open the browser of whoever runs this.
      if (!isAsked && printed.includes("open your browser")) {
        isAsked = true;
        type("n\r");
      }
      // Some say first which registry it is, and the last word may be half of one.
      const page = printed
        .split(/\s/u)
        .find((word) => word.startsWith(`${hub}/`) && word !== `${hub}/`);
      if (page !== undefined && !printed.endsWith(page)) approval ??= approve(page);
    },
  });
  const printed = `${stdout}\n${stderr}`;
  if (approval === undefined) throw new Error(`The login names no page:\n${printed}`);
  await approval;
  if (code !== 0) throw new Error(`The login ends with ${code}:\n${printed}`);
}
