import { boxedParser, text, thinkParser, xmlParser } from "@envs/core";

/** Reads answers from replies. */
export class Parser {
  [name: string]: any;
  #extract: (text: any) => any;

  constructor(extract: (text: any) => any = (reply) => reply) {
    this.#extract = extract;
  }

  parse(reply: any): any {
    return this.#extract(reply);
  }

  /** What the last reply of a completion says. */
  parseAnswer(completion: any): any {
    const replies = typeof completion === "string" ? [completion] : this.replies(completion);
    return replies.length === 0 ? null : this.parse(replies.at(-1));
  }

  getAssistantMessages(completion: any): any[] {
    return completion.filter(({ role }: any) => role === "assistant");
  }

  getUserMessages(completion: any): any[] {
    return completion.filter(({ role }: any) => role === "user");
  }

  /** The texts of the model's messages. */
  replies(completion: any): string[] {
    return this.getAssistantMessages(completion).map(({ content }: any) => text(content));
  }

  getFormatRewardFunc(): (completion: any) => number {
    return (completion) => this.formatScore(completion);
  }

  formatScore(_completion: any): number {
    return 1;
  }
}

/** Reads fields in tags. Each of its fields is a property of what `parse` returns. */
export class XMLParser extends Parser {
  readonly #fields: any;
  readonly #answer: string;

  constructor(fields: any[], answer = "answer") {
    super();
    this.#fields = xmlParser(...(fields as [string, ...string[]]));
    this.#answer = answer;
  }

  override parse(reply: any): any {
    const found: any = this.#fields.parse(reply);
    return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, value ?? null]));
  }

  override parseAnswer(completion: any): any {
    const replies = typeof completion === "string" ? [completion] : this.replies(completion);
    const answers = replies.map((reply) => this.parse(reply)[this.#answer] ?? null);
    return answers.findLast((answer) => answer !== null) ?? null;
  }

  override formatScore(completion: any): number {
    return this.#fields.verifiersFormatScore(completion);
  }

  getFormatStr(): string {
    return this.#fields.format;
  }

  format(values: any): string {
    return this.#fields.render(values);
  }
}

/** Reads what follows the thoughts; nothing if they do not end. */
export class ThinkParser extends Parser {
  constructor(extract: (text: any) => any = (reply) => reply, isLenient = false) {
    const thoughts = thinkParser({ lenient: isLenient });
    super((reply) => extract(thoughts.parse(reply) ?? ""));
    this["thoughts"] = thoughts;
  }

  override formatScore(completion: any): number {
    return this["thoughts"].formatScore(completion);
  }
}

/** Reads what follows the thoughts, or the whole reply without thoughts. */
export class MaybeThinkParser extends ThinkParser {
  constructor(extract?: (text: any) => any) {
    super(extract, true);
  }
}

/** `extract_boxed_answer`: the last boxed answer; the whole text without one, unless `isStrict`. */
export function extractBoxedAnswer(reply: string, isStrict = false): string {
  return boxedParser().parse(reply) ?? (isStrict ? "" : reply);
}

/** `extract_hash_answer`: what follows `####`. */
export function extractHashAnswer(reply: string): string | null {
  return reply.includes("####") ? reply.split("####")[1]!.trim() : null;
}
