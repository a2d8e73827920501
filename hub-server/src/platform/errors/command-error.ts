/** Invalid use of a command, or a problem of its environment. The message contains the remedy. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
