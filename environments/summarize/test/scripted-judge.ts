import { type Model, textOf } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";

/**
 * A judge that compares the words of a summary with those of its report, so that tests need no language model. It reads only the
 * quoted text of the prompt, like a careful judge.
 */
export const scriptedJudge: Model = Object.assign(
  scriptedModel(({ messages }) => {
    const prompt = textOf(messages.at(-1)!.content);
    const report = new Set(wordsOf(quote("example.prompt", prompt)));
    const summary = wordsOf(quote("reply", prompt));
    const foreign = summary.filter((word) => !report.has(word) && !usual.has(word));
    const share = summary.length === 0 ? 1 : foreign.length / summary.length;
    const verdict = share > 0.3 ? "contradicts" : share > 0 ? "invents" : "faithful";
    return `${foreign.length} of ${summary.length} words are not in the report.\nVerdict: ${verdict}`;
  }),
  { id: "scripted-judge" },
);

const usual = new Set("a an and again because helped it its of on the to was were".split(" "));

function quote(name: string, prompt: string): string {
  const start = prompt.indexOf(`<${name}-`);
  const tag = prompt.slice(start + 1, prompt.indexOf(">", start));
  return prompt.slice(start + tag.length + 3, prompt.lastIndexOf(`\n</${tag}>`));
}

function wordsOf(value: string): readonly string[] {
  return value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
