import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";

import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";

/** Evaluated in pages rather than loaded by them: their content security policy forbids scripts of others. */
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const views = [
  { name: "light", colorScheme: "light", width: 1280, height: 900, runsAxe: true },
  { name: "dark", colorScheme: "dark", width: 1280, height: 900, runsAxe: false },
  { name: "phone-light", colorScheme: "light", width: 360, height: 780, runsAxe: false },
  { name: "phone-dark", colorScheme: "dark", width: 360, height: 780, runsAxe: true },
] as const;

/** Chromium cannot draw much longer pages. */
const maxPictureHeight = 6000;

type View = (typeof views)[number];

export interface PageCheck {
  /** The cookies of a signed-in browser. */
  readonly cookies?: ReadonlyMap<string, string> | undefined;
  /** Brings the page into the state to check, such as an open menu. */
  readonly prepare?: ((page: Page) => Promise<unknown>) | undefined;
  /** Writes a picture of each view to this path with the view's name and `.png` appended. */
  readonly pictures?: string | undefined;
}

/**
 * Opens a page in both colour schemes, on a desktop and on a phone. Returns its faults: violations of its content security
 * policy, errors of scripts, files that do not load, faults that axe finds, and content wider than the window.
 */
export async function pageProblems(
  browser: Browser,
  url: string,
  { cookies, prepare, pictures }: PageCheck = {},
): Promise<readonly string[]> {
  const context = await browser.newContext();
  await context.addCookies([...(cookies ?? [])].map(([name, value]) => ({ name, value, url })));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(`script: ${message}`));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400 && response.url() !== url)
      problems.push(`${response.status()} for ${response.url()}`);
  });
  try {
    await page.goto(url, { waitUntil: "load" });
    // Scripts draw some pages, and those show a sentence until they have their data.
    await page.locator("h1").first().waitFor({ state: "attached" });
    await page.locator(".loading").first().waitFor({ state: "detached" });
    await prepare?.(page);
    const [first] = problems;
    // Chromium reports the status of an error page as an error of the console.
    if (first?.includes("the server responded with a status of")) problems.shift();
    // axe adds elements that a strict policy forbids, so errors after this point are not the page's.
    page.removeAllListeners("console");
    await page.evaluate(axe);
    // The others differ in their pictures only.
    const checked = views.filter(({ runsAxe }) => runsAxe || pictures !== undefined);
    for (const view of checked) problems.push(...(await problemsOf(page, view, pictures)));
    return problems;
  } finally {
    await context.close();
  }
}

async function problemsOf(
  page: Page,
  { name, colorScheme, width, height, runsAxe }: View,
  pictures: string | undefined,
): Promise<readonly string[]> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  if (pictures !== undefined) {
    await mkdir(dirname(pictures), { recursive: true });
    const length = await page.evaluate<number>("document.documentElement.scrollHeight");
    const clip = { x: 0, y: 0, width, height: Math.min(length, maxPictureHeight) };
    await page.screenshot({ path: `${pictures}-${name}.png`, fullPage: true, clip });
  }
  const contentWidth = await page.evaluate<number>("document.documentElement.scrollWidth");
  const isWide = contentWidth > width;
  return [
    ...(isWide ? [`${name}: the content is ${contentWidth} px wide, the window ${width} px`] : []),
    ...(runsAxe ? await axeFaults(page) : []).map((fault) => `${name}: ${fault}`),
  ];
}

async function axeFaults(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  return violations.map(
    ({ id, nodes }) => `axe ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
  );
}
