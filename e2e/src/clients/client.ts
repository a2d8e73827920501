import { join } from "node:path";

import type { Finished } from "../command-line.ts";
import type { Verb, Verbs } from "./verbs.ts";
import { type Run, type RunOptions, workplace, type Workplace } from "./workplace.ts";

/** A registry that has the packages of one scope. */
export interface Registry {
  readonly url: string;
  readonly scope: string;
}

/** A package manager. */
export interface ClientKind {
  readonly command: readonly string[];
  /** The file that tells it of a registry, in each folder that it works in. */
  settings(registry: Registry): { readonly file: string; readonly text: string };
  verbs(registry: Registry): Verbs;
  /** The command that logs in by the web. */
  login(registry: Registry): readonly string[];
}

/** A package manager in a workplace of its own, set up for a registry. */
export interface Client extends AsyncDisposable {
  readonly place: Workplace;
  /** Does it, and fails with all that was printed unless the client says that it is done. */
  does(verb: Verb, ...things: readonly string[]): Promise<Finished>;
  /** Does it, whatever comes of it. */
  tries(verb: Verb, ...things: readonly string[]): Promise<Finished>;
  /** The same client, run otherwise. */
  with(options: RunOptions): Pick<Client, "does" | "tries">;
  /** Logs in by the web, and leaves the token where the client looks for it. */
  login(approve: (url: string) => Promise<void>): Promise<void>;
}

/** Whether a client has a word for what is to be done. */
export function has(kind: ClientKind, verb: Verb): boolean {
  return kind.verbs({ url: "http://localhost", scope: "scope" })[verb] !== undefined;
}

/** Puts a client into an empty workplace. */
export async function startClient(kind: ClientKind, registry: Registry): Promise<Client> {
  const place = await workplace();
  const { file, text } = kind.settings(registry);
  await place.write(join(place.project, file), text);
  const run = place.start(kind.command);
  const verbs = kind.verbs(registry);
  const runner = (options: RunOptions): Pick<Client, "does" | "tries"> => {
    const tries: Client["tries"] = (verb, ...things) => {
      const args = verbs[verb];
      if (args === undefined) throw new Error(`This client has no word for “${verb}”.`);
      return run(args(...things), options);
    };
    return {
      tries,
      async does(verb, ...things) {
        const finished = await tries(verb, ...things);
        if (finished.code === 0) return finished;
        const { code, stdout, stderr } = finished;
        const what = [verb, ...things].join(" ");
        throw new Error([`“${what}” ends with ${code}.`, stdout, stderr].join("\n"));
      },
    };
  };
  return {
    place,
    ...runner({}),
    with: runner,
    login: (approve) => webLogin(registry, place.start(kind.login(registry)), approve),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** Runs a command that prints a page of the registry, and waits until somebody has been there. */
async function webLogin(
  { url }: Registry,
  run: Run,
  approve: (url: string) => Promise<void>,
): Promise<void> {
  let approval: Promise<void> | undefined;
  let isAsked = false;
  const { code, stdout, stderr } = await run([], {
    atTerminal: (printed, type) => {
      // Yarn would open the browser of whoever runs this.
      if (!isAsked && printed.includes("open your browser")) {
        isAsked = true;
        type("n\r");
      }
      // Some say first which registry it is, and the last word may be half of one.
      const page = printed
        .split(/\s/u)
        .find((word) => word.startsWith(`${url}/`) && word !== `${url}/`);
      if (page !== undefined && !printed.endsWith(page)) approval ??= approve(page);
    },
  });
  const printed = `${stdout}\n${stderr}`;
  if (approval === undefined) throw new Error(`The login names no page:\n${printed}`);
  await approval;
  if (code !== 0) throw new Error(`The login ends with ${code}:\n${printed}`);
}
