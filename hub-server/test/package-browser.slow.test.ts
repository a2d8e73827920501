import { afterAll, beforeAll, expect, test } from "vitest";

import { hostileMarkdown } from "./fixtures/hostile-markdown.ts";
import { publishChess } from "./fixtures/publish-chess.ts";
import { type Chromium, startBrowser } from "./support/chromium.ts";
import { makePerson, type Person } from "./support/person.ts";
import { publishOrThrow } from "./support/publish.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
let chromium: Chromium;
let ada: Person;

beforeAll(async () => {
  [chromium, ada] = await Promise.all([startBrowser(), makePerson(server, "ada")]);
  await publishChess(server, ada);
  await publishOrThrow(server, "@ada/hostile", {
    as: ada,
    files: { "README.md": hostileMarkdown.join("\n\n") },
  });
});

afterAll(() => chromium.close());

test("builds a command in the form, and a link that restores the form", async () => {
  const page = await chromium.newPage();
  await page.goto(`${server.url}/package/@ada/chess`);
  await page.getByLabel("turns").fill("5");
  await page.getByLabel("opponent").selectOption("strong");
  const command = `envs eval @ada/chess -m policy:random --config '{"turns":5,"opponent":"strong"}'`;
  await expect.poll(() => page.getByTestId("command").textContent()).toBe(command);
  const link = (await page.getByTestId("link").textContent()) ?? "";
  expect(page.url()).toBe(link);

  await page.goto("about:blank");
  await page.goto(link);
  expect(await page.getByTestId("command").textContent()).toBe(command);
  expect(await page.getByLabel("turns").inputValue()).toBe("5");
  await page.getByLabel("turns").fill("0");
  await expect.poll(() => page.getByText("The minimum is 1.").isVisible()).toBe(true);
  await page.close();
});

test("builds the same command without JavaScript", async () => {
  const context = await chromium.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${server.url}/package/@ada/chess`);
  await page.getByLabel("turns").fill("5");
  await page.getByRole("button", { name: "Build the command" }).click();
  expect(await page.getByTestId("command").textContent()).toBe(
    `envs eval @ada/chess -m policy:random --config '{"turns":5}'`,
  );
  await page.getByText("pnpm", { exact: true }).click();
  expect(await page.getByText("pnpm add @ada/chess").isVisible()).toBe(true);
  expect(await page.getByText("npm install @ada/chess").isVisible()).toBe(false);
  await context.close();
});

test("runs nothing of a hostile README and loads nothing for it", async () => {
  const page = await chromium.newPage();
  const problems: string[] = [];
  page.on("dialog", (dialog) => {
    problems.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== server.url) problems.push(request.url());
  });
  await page.goto(`${server.url}/package/@ada/hostile`);
  await page.waitForLoadState("networkidle");
  expect(problems).toEqual([]);
  expect(await page.title()).toContain("@ada/hostile");
  await page.close();
});

test("marks the lines that the address names, and extends them by a click with Shift", async () => {
  const page = await chromium.newPage();
  await page.goto(`${server.url}/package/@ada/chess/files/1.1.0/README.md#L3-L4`);
  const marked = () =>
    page.locator(".source .marked").evaluateAll((lines) => lines.map(({ id }) => id));
  await expect.poll(marked).toEqual(["L3", "L4"]);
  await page.locator("a[href='#L6']").click({ modifiers: ["Shift"] });
  await expect.poll(marked).toEqual(["L3", "L4", "L5", "L6"]);
  expect(new URL(page.url()).hash).toBe("#L3-L6");
  await page.close();
});
