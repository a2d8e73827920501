import type { Browser } from "playwright-core";

import type { HubProcess } from "./process.ts";

/** What a person types who makes an account in these tests. */
export const password = "correct horse battery staple";

/**
 * Makes the first account of a hub in a browser, as a person does who follows the link that the hub prints; returns how
 * that person approves the logins of command lines.
 */
export async function approver(
  browser: Browser,
  { invitation }: HubProcess,
  name: string,
): Promise<(url: string) => Promise<void>> {
  if (invitation === undefined) throw new Error("The hub has its first account already.");
  const context = await browser.newContext();
  const first = await context.newPage();
  await first.goto(invitation);
  await first.getByLabel("Name").fill(name);
  await first.getByLabel("Password").fill(password);
  await first.getByRole("button", { name: "Create account" }).click();
  await first.getByRole("link", { name, exact: true }).waitFor();
  await first.close();

  return async (url) => {
    const page = await context.newPage();
    await page.goto(url);
    // The terminal shows the code at the end of the address, and the page what to compare it with.
    const code = new URL(url).pathname.split("/").at(-1)!;
    await page.getByText(code, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    await page.close();
  };
}
