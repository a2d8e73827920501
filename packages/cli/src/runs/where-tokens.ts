import { UsageError } from "@envs/terminal";

/** One word or sign of an expression, and where it begins. */
export interface Token {
  readonly type: "sign" | "number" | "name" | "text" | "end";
  /** Without quotes. */
  readonly text: string;
  readonly at: number;
}

const pattern =
  /\s+|(?<sign>&&|\|\||[<>=!]=|[<>()])|(?<number>-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|(?<name>[\p{L}_$][\p{L}\p{N}_$.-]*)|(?<text>"[^"]*"|'[^']*')|`(?<quotedName>[^`]*)`/giuy;

/** What people write by habit, and what it is called here. */
const habits: Readonly<Record<string, string>> = {
  "=": "Write == to compare.",
  "&": "Write && for and.",
  "|": "Write || for or.",
  "!": "Write != for not equal; there is no other not.",
  '"': "The text that begins here has no end.",
  "'": "The text that begins here has no end.",
  "`": "The name that begins here has no end.",
};

/** Divides an expression into tokens, the last of them the end. */
export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < source.length) {
    const at = pattern.lastIndex;
    const groups = pattern.exec(source)?.groups;
    if (groups === undefined) {
      const sign = String.fromCodePoint(source.codePointAt(at)!);
      throw problemAt(source, at, habits[sign] ?? `${JSON.stringify(sign)} means nothing here.`);
    }
    const { sign, number, name, text, quotedName } = groups;
    if (sign !== undefined) tokens.push({ type: "sign", text: sign, at });
    else if (number !== undefined) tokens.push({ type: "number", text: number, at });
    else if (text !== undefined) tokens.push({ type: "text", text: text.slice(1, -1), at });
    else if (name !== undefined || quotedName !== undefined)
      tokens.push({ type: "name", text: name ?? quotedName ?? "", at });
  }
  tokens.push({ type: "end", text: "", at: source.length });
  return tokens;
}

/** A token as messages name it. */
export function shown({ text }: Token): string {
  if (text === "") return '""';
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** An error that shows where in the expression it is. */
export function problemAt(source: string, at: number, message: string): UsageError {
  const from = Math.max(0, at - 40);
  const part = source.slice(from, at + 40).replaceAll(/\s/g, " ");
  const before = from > 0 ? "…" : "";
  const caret = `${" ".repeat(before.length + at - from)}^`;
  return new UsageError(`At character ${at + 1}: ${message}\n  ${before}${part}\n  ${caret}`);
}
