import type { ServedEnvironment } from "./context.ts";
import { quote, ServeError } from "./errors.ts";

/** Finds environments by name, ignoring case. */
export class EnvironmentNames {
  readonly #names: readonly string[];
  readonly #byLowerCaseName: ReadonlyMap<string, ServedEnvironment>;

  constructor(environments: ReadonlyMap<string, ServedEnvironment>) {
    this.#names = [...environments.keys()];
    this.#byLowerCaseName = new Map(
      [...environments].map(([name, environment]) => [name.toLowerCase(), environment]),
    );
  }

  find(name: string): ServedEnvironment | undefined {
    return this.#byLowerCaseName.get(name.toLowerCase());
  }

  /** Throws a {@link ServeError} of code `unknown-environment`. */
  get(name: string): ServedEnvironment {
    const environment = this.find(name);
    if (environment !== undefined) return environment;
    throw new ServeError(
      "unknown-environment",
      `There is no environment named ${quote(name)}. Use one of: ${this.#names.join(", ")}.`,
    );
  }
}
