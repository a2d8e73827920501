import { defineEnvironment, type Message, textOf, xmlParser } from "@envs/core";
import * as z from "zod";

import { stockShelf, totalOf } from "./shelf.ts";

const parser = xmlParser("answer");

/** The results of all tool calls so far. */
const toolResults = (messages: readonly Message[]): readonly number[] =>
  messages.flatMap((message) => (message.role === "tool" ? [Number(textOf(message.content))] : []));

export default defineEnvironment({
  name: "{{name}}",
  description: "{{description}}",
  tags: ["tools"],

  config: z.object({
    boxes: z.int().min(1).max(9).default(3).describe("Number of boxes on the shelf"),
  }),

  systemPrompt: `Look into boxes with the tool count_apples. Answer as ${parser.format}`,

  *dataset({ config, random }) {
    for (let day = 1; ; day += 1) {
      const shelf = stockShelf(config.boxes, random);
      const names = Object.keys(shelf).join(", ");
      yield { prompt: `Day ${day}. How many apples are in ${names} together?`, shelf };
    }
  },

  setup: () => ({ opened: [] as string[] }),

  tools: {
    count_apples: {
      description: "Counts the apples in a box",
      input: z.object({ box: z.string().describe("The name of the box, such as box-1") }),
      execute({ box }, { example, state }) {
        const apples = Object.hasOwn(example.shelf, box) ? example.shelf[box] : undefined;
        if (apples === undefined) throw new Error(`there is no box named ${box}`);
        state.opened.push(box);
        return apples;
      },
    },
  },

  rubric: {
    exact: ({ reply, example }) =>
      Number(parser.parse(reply).answer || Number.NaN) === totalOf(example.shelf) ? 1 : 0,
  },

  metrics: { opened: ({ state }) => state.opened.length },

  policies: {
    best({ example, messages }) {
      const counted = toolResults(messages);
      const next = Object.keys(example.shelf)[counted.length];
      if (next === undefined)
        return parser.render({ answer: `${counted.reduce((sum, apples) => sum + apples, 0)}` });
      const call = { name: "count_apples", arguments: JSON.stringify({ box: next }) };
      const id = `call_${counted.length}`;
      return {
        role: "assistant",
        content: "",
        tool_calls: [{ id, type: "function", function: call }],
      };
    },
    lazy: () => parser.render({ answer: "0" }),
  },
});
