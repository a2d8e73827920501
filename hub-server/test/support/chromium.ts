import { existsSync } from "node:fs";

import { type Browser, chromium } from "playwright-core";

import { bundledChromium } from "./bundled-chromium.ts";

/** Chromium, and a tab of it. Not the browser without JavaScript of `browser.ts`. */
export type { Browser as Chromium, Page as Tab } from "playwright-core";

const installedPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * Starts Chromium: from the path in the variable CHROMIUM, else this machine's, else the npm package's. With
 * ENVS_TEST_BUNDLED=1, always the npm package's.
 */
export async function startBrowser(): Promise<Browser> {
  const executablePath = installedChromium();
  const program = executablePath === undefined ? await bundledChromium() : { executablePath };
  // Containers run as root, and Chromium has no sandbox for root.
  const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] });
  const newContext = browser.newContext.bind(browser);
  // Playwright's 30 seconds are too few on a busy machine. `newPage` opens its context by this method too.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(120_000);
    return context;
  };
  return browser;
}

function installedChromium(): string | undefined {
  if (process.env["ENVS_TEST_BUNDLED"] === "1") return undefined;
  return process.env["CHROMIUM"] ?? installedPaths.find((path) => existsSync(path));
}
