import { writeLetters } from "./letters.ts";

interface Asked {
  readonly example: { readonly seed: number; readonly characters: number };
  readonly prompt: string;
}

/**
 * The sub-model of policies: for each letter that a prompt contains in full, its number and its concern, `17: refund`. Like a
 * model, it cannot label a letter of which it sees only a part or the number.
 */
export function readLetters({ example: { seed, characters }, prompt }: Asked): string {
  return writeLetters(seed, characters)
    .filter(({ text }) => prompt.includes(text))
    .map(
      ({ number, concern, needle }) =>
        `${number}: ${needle === undefined ? concern : `${concern} needle`}`,
    )
    .join("\n");
}
