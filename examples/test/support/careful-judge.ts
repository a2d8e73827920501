import { type Model, textOf } from "@envs/core";

/** A judge that reads the quoted texts: a reply is right if it contains the true answer. */
export const careful: Model = async ({ messages }) => {
  const asked = messages.map(({ content }) => textOf(content)).join("\n");
  const quotes = [...asked.matchAll(/^<(?<tag>[\w.]+-\w+)>\n(?<text>[\s\S]*?)\n<\/\k<tag>>/gm)];
  const texts = quotes.map(({ groups }) => groups?.["text"] ?? "");
  const [, answer = "", reply = ""] = texts;
  const [yes, no] = asked.includes("NOT_ATTEMPTED") ? ["CORRECT", "INCORRECT"] : ["yes", "no"];
  const isRight = reply.toLowerCase().includes(answer.toLowerCase());
  return isRight
    ? verdict(yes, "It contains the true answer.")
    : verdict(no, "It lacks the true answer.");
};

function verdict(label: string, explanation: string): Awaited<ReturnType<Model>> {
  const content = `${explanation}\nVerdict: ${label}`;
  return { message: { role: "assistant", content }, finish: "stop" };
}
