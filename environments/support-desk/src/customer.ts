import { type Case, itemOf, wishText } from "./cases.ts";

/** The last message of a customer. */
export const goodbye = "Goodbye.";

/** Instructions for a model that plays the customer. */
export function customerPrompt(example: Case): string {
  return `You are a customer of an online shop and write to its support. ${wishText(example)} Your email address is ${example.customer.email}.
Begin with your problem in one short sentence, without your email address or your wish. Answer the questions of the support, and add nothing. Do not invent facts.
Once the support has done what you want, or has declined it, answer only: ${goodbye}`;
}

/** The next message of the scripted customer, who answers questions and leaves at a message without one. */
export function scriptedCustomer(example: Case, said: string | undefined): string {
  if (said === undefined) return `Hello, I am writing because of my ${itemOf(example)}.`;
  if (!said.includes("?")) return goodbye;
  const asksEmail = /e-?mail|address/iu.test(said);
  const asksWish = /what|how|help|which|why/iu.test(said);
  const email = `It is ${example.customer.email}.`;
  if (asksEmail && !asksWish) return email;
  return asksEmail ? `${wishText(example)} ${email}` : wishText(example);
}
