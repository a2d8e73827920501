/** What an environment needs on the machine that runs it, such as a provider of `@envs/sandbox`. */
export interface Requirement {
  readonly kind: "sandbox" | "machine";
  /** As its package names it, such as `python`. */
  readonly name: string;
  /** Rejects with a `ConfigError` that names what to install. */
  check(): Promise<void>;
}
