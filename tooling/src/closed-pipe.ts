/** Lets a script finish, with its own exit code, after the reader of its output has closed the pipe, as `head` does. */
export function ignoreClosedPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
