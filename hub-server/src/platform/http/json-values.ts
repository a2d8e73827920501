import { HubError } from "../errors/hub-error.ts";

/** More than any client sends. Parsing this many of the smallest values takes half a second. */
const maxValues = 300_000;

/** Returns an error for a JSON text with too many values: parsing small values takes long and many times their memory. */
export function tooManyValues(text: string): HubError | undefined {
  // Each value except the first follows one of these characters. The count includes those inside strings.
  let left = maxValues;
  for (const character of [",", "[", "{"])
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      left -= 1;
      if (left < 0)
        return new HubError("too-many-values", {
          message: `The body has more than ${maxValues} JSON values. Split the request.`,
        });
    }
  return undefined;
}
