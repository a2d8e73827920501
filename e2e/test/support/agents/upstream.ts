import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

import { textOf } from "@envs/core";
import { modelServer } from "@envs/models/testing";

// A model's server in its own process. It reverses the text that follows the system prompt, prints a line for each request,
// and does not reply while the file of its first argument exists. The second argument is its port.
const [hold = "", port = "0"] = process.argv.slice(2);
const server = await modelServer({
  name: "small",
  port: Number(port),
  async answer({ messages, signal }) {
    console.log("request");
    while (existsSync(hold)) await setTimeout(20, undefined, { signal });
    const prompt = textOf(messages.find(({ role }) => role === "user")!.content);
    const [, original = ""] = prompt.split("</reversed>\n\n");
    return `<reversed>${Array.from(original).toReversed().join("")}</reversed>`;
  },
});
console.log(`port ${server.port}`);
