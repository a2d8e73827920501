import { meanOverReplies, type Parser } from "./parser.ts";

const opening = "<think>";
const closing = "</think>";

export interface ThinkParserOptions {
  /** Whether a text without `</think>` is an answer. Default false: its answer is empty. */
  readonly lenient?: boolean | undefined;
}

/** Reads the text after the last `</think>`. The format is one `<think>` at the start, one `</think>`, and an answer. */
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
