import { meanOverReplies, type Parser } from "./parser.ts";

const opening = "<think>";
const closing = "</think>";

export interface ThinkParserOptions {
  /** Take the whole text as the answer if the model never closed its thoughts. Default false: such an answer is empty. */
  readonly lenient?: boolean;
}

/** Reads the text after the last `</think>`. Its format score asks for `<think>` first, once, and an answer after. */
export function thinkParser({ lenient = false }: ThinkParserOptions = {}): Parser<string> {
  return {
    format: `${opening}...${closing} and then your answer`,
    parse(text) {
      const end = text.lastIndexOf(closing);
      if (end < 0) return lenient ? text.trim() : "";
      return text.slice(end + closing.length).trim();
    },
    formatScore: (completion) =>
      meanOverReplies(completion, (text) => (thinksOnceThenAnswers(text) ? 1 : 0)),
  };
}

function thinksOnceThenAnswers(text: string): boolean {
  const trimmed = text.trim();
  const end = trimmed.indexOf(closing);
  return (
    trimmed.startsWith(opening) &&
    trimmed.lastIndexOf(opening) === 0 &&
    end > 0 &&
    trimmed.lastIndexOf(closing) === end &&
    trimmed.length > end + closing.length
  );
}
