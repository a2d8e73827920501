// An agent program as Codex or Claude Code: it describes its machine to its model, and does what the model replies.
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

const machine = `You work in ${process.cwd()}. Today is ${new Date().toString()}. Your session is ${randomUUID()}.`;
const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
  method: "POST",
  headers: {
    authorization: `Bearer ${process.env.OPENAI_API_KEY}`,
    "content-type": "application/json",
  },
  body: JSON.stringify({
    model: "any",
    messages: [
      { role: "system", content: machine },
      { role: "user", content: await text(process.stdin) },
    ],
  }),
});
const { choices } = await response.json();
await writeFile(choices[0].message.content, "done");
console.log(await readFile("answer.txt", "utf8"));
