import type { IncomingHttpHeaders } from "node:http";

import type { ServeContext, Served } from "../context.ts";

/** Finds environments as ORS does: whatever the case of their names. */
export class EnvironmentNames {
  readonly #all: ReadonlyMap<string, Served>;

  constructor({ environments }: Pick<ServeContext, "environments">) {
    this.#all = new Map([...environments].map(([name, each]) => [name.toLowerCase(), each]));
  }

  get(name: string): Served | undefined {
    return this.#all.get(name.toLowerCase());
  }

  /**
   * The environment that a client of openreward was asked for. Its paths do not name one, and so neither does TRL, but
   * this header does: `owner/name`, or a name. `undefined` if it is none of ours.
   */
  deployed({ "x-deployment": sent }: IncomingHttpHeaders): Served | undefined {
    return typeof sent === "string" ? this.get(sent.slice(sent.lastIndexOf("/") + 1)) : undefined;
  }
}
