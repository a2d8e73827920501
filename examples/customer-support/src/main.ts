// Answers one message: OPENAI_API_KEY=… node src/main.ts "Where is my order? I am ada@example.com."
import { openai } from "@ai-sdk/openai";

import { supportAgent } from "./agent.ts";
import { OrderStore } from "./orders.ts";
import { sampleOrders } from "./sample-orders.ts";
import { supportTools } from "./tools.ts";

const agent = supportAgent(openai("gpt-5-mini"), supportTools(new OrderStore(sampleOrders)));
const { text } = await agent.generate({ prompt: process.argv.slice(2).join(" ") });
console.log(text);
