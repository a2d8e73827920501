import { callTools, type Model, textOf } from "@envs/core";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";

import type { Order } from "../src/orders.ts";

/**
 * Stands for a provider in this example: an HTTP server with a script that follows the agent's instructions, and miscounts days now
 * and then. It starts with the first call.
 */
export function scriptedProvider(): Model {
  let server: ReturnType<typeof modelServer> | undefined;
  const ask: Model = async (request) => {
    const { url } = await (server ??= modelServer({ answer, name: "scripted" }));
    return await openai("scripted", { baseURL: url, apiKey: "none", sendSeed: true })(request);
  };
  return Object.assign(ask, { id: "scripted" });
}

function answer({ messages, seed = 0 }: Parameters<Model>[0]) {
  const turn = messages.length;
  const instructions = textOf(messages[0]!.content);
  const days = Number(/at most (\d+) days/u.exec(instructions)?.[1] ?? Infinity);
  const euros = Number(/at most (\d+) euros/u.exec(instructions)?.[1] ?? Infinity);
  const said = messages
    .flatMap(({ role, content }) => (role === "user" ? [textOf(content)] : []))
    .join(" ");
  const results = messages.flatMap(({ role, content }) =>
    role === "tool" ? [textOf(content)] : [],
  );

  const email = /\S+@\w+\.\w+/u.exec(said)?.[0];
  if (email === undefined) return "Gladly. What is the email address of your order?";
  if (results.length === 0) return callTools([["findOrders", { email }]], turn);
  if (results.length > 1)
    return results[1]!.startsWith("{")
      ? `I have refunded ${(JSON.parse(results[1]!) as { amount: number }).amount} euros to you.`
      : "I am sorry. A person of our team will write to you within a day.";

  const orders = JSON.parse(results[0]!) as readonly Order[];
  const order = orders.find(({ item }) => said.includes(item));
  if (order === undefined) return "I cannot find this order.";
  const { id, item, status, price, deliveredDaysAgo = 0 } = order;
  if (/\bcut\b|hurt/iu.test(said)) return callTools([["escalate", { reason: said }]], turn);
  if (!/refund|return|money/iu.test(said)) return `Your order of the ${item} is ${status}.`;
  if (status !== "delivered")
    return `I can refund the ${item} only once it is delivered. It is ${status}.`;
  const miscounted = seed % 3 === 0 ? 1 : 0;
  if (deliveredDaysAgo - miscounted > days)
    return `I am sorry, we refund orders only within ${days} days of their delivery.`;
  return price > euros
    ? callTools([["escalate", { reason: `A refund of ${price} euros` }]], turn)
    : callTools([["refund", { orderId: id }]], turn);
}
