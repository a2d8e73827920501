/** The command that evaluates a model on an environment with a config. */
export function evalCommand({
  environment,
  model,
  config,
}: {
  /** The package's name. */
  readonly environment: string;
  /** The name of the model; empty for a placeholder. */
  readonly model: string;
  readonly config: Readonly<Record<string, unknown>>;
}): string {
  const modelArgument = model === "" ? "<model>" : shellArgument(model);
  return ["envs eval", shellArgument(environment), "-m", modelArgument, ...configFlag(config)].join(
    " ",
  );
}

/** The `--config` flag of a command line; empty for the default config. */
export function configFlag(config: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(config).length === 0
    ? []
    : ["--config", shellArgument(JSON.stringify(config))];
}

/** Quotes an argument if a shell would change it. */
export function shellArgument(text: string): string {
  // zsh reads a word that begins with `=` as a path.
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
