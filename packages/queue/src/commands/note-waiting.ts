import type { PersistOptions } from "../persist.ts";

/** Reports that a command waits for a database that does not run yet. */
export function noteWaiting(note: (text: string) => void): PersistOptions {
  let noted = "";
  return {
    onUnavailable({ message }) {
      if (message !== noted) note(`${message}. Waiting up to a minute for it.`);
      noted = message;
    },
  };
}
