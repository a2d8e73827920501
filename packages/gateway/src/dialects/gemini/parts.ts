interface TextPart {
  readonly text?: string | null | undefined;
  readonly thought?: boolean | null | undefined;
}

/** The text of a reply, and its thoughts. */
export function textsOf(parts: readonly TextPart[]): { content: string; reasoning: string } {
  const textOf = (isThought: boolean): string =>
    parts
      .map(({ text, thought }) => ((thought === true) === isThought ? (text ?? "") : ""))
      .join("");
  return { content: textOf(false), reasoning: textOf(true) };
}
