import type { Browser } from "playwright-core";

import type { HubProcess } from "./process.ts";

/** The password of every account in these tests. */
export const password = "correct horse battery staple";

/**
 * Creates a hub's first account in a browser, with the link that the hub prints. Returns a function that approves the
 * login of a command line, given the URL of its page.
 */
export async function approver(
  browser: Browser,
  { invitation }: HubProcess,
  name: string,
): Promise<(url: string) => Promise<void>> {
  if (invitation === undefined)
    throw new Error("The hub did not print an invitation: it already has an account.");
  const context = await browser.newContext();
  const first = await context.newPage();
  await first.goto(invitation);
  await first.getByLabel("Name").fill(name);
  await first.getByLabel("Password").fill(password);
  await first.getByRole("button", { name: "Create account" }).click();
  await first.getByRole("heading", { name: "Account" }).waitFor();
  await first.close();

  return async (url) => {
    const page = await context.newPage();
    await page.goto(url);
    // The page must show the code from the end of the URL, which users compare.
    const code = new URL(url).pathname.split("/").at(-1)!;
    await page.getByText(code, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    await page.close();
  };
}
