/** Formats arguments as a command that a POSIX shell splits into the same arguments. */
export function shellCommand(args: readonly string[]): string {
  return args.map(shellArgument).join(" ");
}

/** Quotes one argument if a shell would change it. */
export function shellArgument(text: string): string {
  // A word that begins with `=` is a path in zsh.
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
