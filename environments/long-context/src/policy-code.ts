import type { Question } from "./questions.ts";

interface Task {
  readonly config: { readonly language: "javascript" | "python"; readonly maxPrompt: number };
  readonly example: Question;
  /** The share of the letters to read. Default 1. */
  readonly share?: number;
}

/** The question of a reader about each part of the text. */
const instruction =
  "For each letter below, write a line with its number and what it is about: late, refund, damage, praise, swap or cancel, such as '17: refund'. ";

/** Code that reads all letters in pieces, and prints the answer. */
export function readerCode({ config, example, share = 1 }: Task): string {
  const { kind, concern, question } = example;
  const about =
    kind === "find"
      ? `If its writer is the one of this question, add needle: ${question}\n\n`
      : "\n\n";
  const values = { instruction: instruction + about, kind, concern: concern ?? "needle", share };
  const code = config.language === "python" ? pythonReader : javascriptReader;
  const max = config.maxPrompt - values.instruction.length - 2;
  return `${assignments({ ...values, max }, config.language)}\n${code}`;
}

/** Code that searches for the words of the question instead of reading. */
export function wordsCode({ example: { kind, concern } }: Task): string {
  return `const pattern = ${String(words[concern ?? "find"])};
${assignments({ kind }, "javascript")}
const hits = text.split("\\n\\n").filter((letter) => pattern.test(letter));
${javascriptAnswer}`;
}

const words: Readonly<Record<NonNullable<Question["concern"]> | "find", RegExp>> = {
  find: /\b(?:cat|dog|found|ring|marry|worked|born|stamps?|water|place)\b/iu,
  late: /\b(?:late|delay\w*|wait\w*|days|week)\b/iu,
  refund: /\b(?:refund\w*|money|paid|charge|credited|account)\b/iu,
  damage: /\b(?:broken|damaged?|dent|cracked|crushed|snapped|leak\w*)\b/iu,
  praise: /\b(?:thank|pleased|wonderful|lovely|worth|well)\b/iu,
  swap: /\b(?:wrong|instead|ordered|chose|another)\b/iu,
  cancel: /\b(?:cancel\w*|off|forget|changed|stop)\b/iu,
};

function assignments(values: Readonly<Record<string, unknown>>, language: string): string {
  const keyword = language === "python" ? "" : "const ";
  return Object.entries(values)
    .map(([name, value]) => `${keyword}${name} = ${JSON.stringify(value)}`)
    .join("\n");
}

const javascriptAnswer = `const headers = hits.map((letter) => /From: (.+), (.+)/.exec(letter));
const counts = {};
for (const [, , city] of headers) counts[city] = (counts[city] ?? 0) + 1;
const [top] = Object.entries(counts).sort((a, b) => b[1] - a[1]);
console.log(kind === "count" ? hits.length : kind === "join" ? top?.[0] : headers[0]?.[1]);`;

const javascriptReader = `const letters = text.split(/\\n\\n(?=Letter \\d+\\n)/);
const read = letters.slice(0, Math.round(letters.length * share));
const parts = [""];
for (const letter of read) {
  if (parts.at(-1).length + letter.length + 2 > max) parts.push("");
  parts[parts.length - 1] += letter + "\\n\\n";
}
const labels = askAll(parts.map((part) => instruction + part)).join("\\n").split("\\n");
const numbers = new Set(labels.filter((line) => line.includes(concern)).map((line) => parseInt(line)));
const hits = letters.filter((_, index) => numbers.has(index + 1));
${javascriptAnswer}`;

const pythonReader = `import re
from collections import Counter
letters = re.split(r"\\n\\n(?=Letter \\d+\\n)", text)
parts = [""]
for letter in letters[: round(len(letters) * share)]:
    if len(parts[-1]) + len(letter) + 2 > max:
        parts.append("")
    parts[-1] += letter + "\\n\\n"
labels = "\\n".join(ask_all([instruction + part for part in parts])).split("\\n")
numbers = {int(line.split(":")[0]) for line in labels if concern in line}
hits = [letter for index, letter in enumerate(letters) if index + 1 in numbers]
headers = [re.search(r"From: (.+), (.+)", letter).groups() for letter in hits]
top = Counter(city for _, city in headers).most_common(1)
print(len(hits) if kind == "count" else top[0][0] if kind == "join" else headers[0][0])`;
