import { existsSync } from "node:fs";

import { type Browser, chromium } from "playwright-core";

const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Starts the Chromium of this machine. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? places.find((place) => existsSync(place));
  if (executablePath === undefined)
    throw new Error(
      "This test needs a browser, and there is none. Install Chromium (on Debian: apt-get install chromium), or name one in the variable CHROMIUM.",
    );
  // Containers run as root, for whom Chromium has no sandbox.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
