import { HubError } from "../errors/hub-error.ts";

/** More than any client sends; where all are as small as can be, they are made within half a second. */
const most = 300_000;

/** The error of a JSON text with so many values that to make them would take long, and many times the text's own bytes. */
export function tooManyValues(text: string): HubError | undefined {
  // Each value but the first follows one of these; those inside of strings are not worth a closer look.
  let left = most;
  for (const sign of [",", "[", "{"])
    for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) {
      left -= 1;
      if (left < 0)
        return new HubError(413, "too-many-values", {
          message: `The body has more than ${most} values. Send less at once.`,
        });
    }
  return undefined;
}
