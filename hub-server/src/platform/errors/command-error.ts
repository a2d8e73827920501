/** A command of the hub is held wrong, or its surroundings do not allow it: the message says what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
