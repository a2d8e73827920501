/** The exports of `<package>/commands`: what a package adds to the command line. */
export interface CommandPackage {
  /** Imports the module of each command, by the words after `envs`. The module exports the command as `command`. */
  readonly commands?: Readonly<Record<string, () => Promise<{ readonly command: unknown }>>>;
}
