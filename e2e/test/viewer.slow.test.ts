import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { type Chromium, startBrowser, type Tab } from "@envs/hub-server/testing/chromium";
import { pageProblems } from "@envs/hub-server/testing/page-problems";
import { startViewerServer, type ViewerServer, Workspace, writeReport } from "@envs/viewer/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { attacks, hostileRun } from "./support/viewer/hostile.ts";

let folder: string;
let chromium: Chromium;
let server: ViewerServer;
const ids: Record<string, string> = {};
const paths: Record<string, string> = {};

const metadata = {
  schema_version: 1,
  env_id: "colours",
  env_args: {},
  model: "first",
  num_examples: 3,
  rollouts_per_example: 2,
  sampling_args: {},
  date: "2026-11-22T10:00:00.000Z",
  weights: { right: 1, length: -0.1 },
  is_complete: true,
};

/** Six rollouts: example 0 always right, 1 sometimes, 2 never. */
function colourLines(isRight: (example: number, rollout: number) => boolean): string {
  return [0, 1, 2]
    .flatMap((example) =>
      [0, 1].map((rollout) => {
        const right = Number(isRight(example, rollout));
        const reply = right === 1 ? "The sky is blue." : "The sky is green.";
        return JSON.stringify({
          example_id: example,
          example_key: `colour-${example}`,
          rollout_index: rollout,
          prompt: [{ role: "user", content: `What colour is the sky? (${example})` }],
          completion: [{ role: "assistant", content: `<think>I look up.</think>${reply}` }],
          answer: "blue",
          reward: right - 0.1,
          metrics: { right, length: 1 },
          stop_condition: "end",
          error: null,
          trajectory: [],
        });
      }),
    )
    .map((line) => `${line}\n`)
    .join("");
}

async function write(name: string, run: { readonly metadata: object; readonly lines: string }) {
  const path = join(folder, name);
  await mkdir(path);
  await writeFile(join(path, "metadata.json"), JSON.stringify(run.metadata));
  await writeFile(join(path, "results.jsonl"), run.lines);
  // An incomplete last line of an old file is cut; of a new one, it is being written.
  await utimes(join(path, "results.jsonl"), new Date(), new Date(Date.now() - 60_000));
  paths[name] = path;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "envs-viewer-"));
  await write("first", {
    metadata,
    lines: colourLines((example, rollout) => example < 1 + rollout),
  });
  await write("second", {
    metadata: { ...metadata, model: "second", pass_threshold: 0.95 },
    lines: colourLines((example) => example === 1),
  });
  await write("hostile", hostileRun());
  const workspace = new Workspace();
  for (const [name, path] of Object.entries(paths)) ids[name] = workspace.open(path).id;
  server = await startViewerServer({ workspace });
  chromium = await startBrowser();
});

afterAll(async () => {
  await chromium?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Opens the viewer in a new tab, and fails the test for errors of the page. */
async function open(address: string, use: (tab: Tab) => Promise<void>): Promise<void> {
  const context = await chromium.newContext({ locale: "en-GB" });
  const tab = await context.newPage();
  const problems: string[] = [];
  tab.on("pageerror", ({ message }) => problems.push(message));
  tab.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  try {
    await tab.goto(address);
    await use(tab);
    expect(problems).toEqual([]);
  } finally {
    await context.close();
  }
}

const at = (state: string) => `${server.url}#${state}`;
const rows = (tab: Tab) => tab.locator(".row .row-id").allTextContents();

describe("the viewer in a browser", () => {
  test("lists the rollouts with the first one open, and moves through them with the keyboard", async () => {
    await open(at(`run=${ids["first"]}`), async (tab) => {
      await expect.poll(() => rows(tab)).toHaveLength(6);
      await tab.getByRole("heading", { name: "example 0 / 0" }).waitFor();
      await tab.keyboard.press("j");
      await tab.getByRole("heading", { name: "example 0 / 1" }).waitFor();
      await tab.keyboard.press("?");
      await tab.getByRole("dialog").getByText("next rollout").waitFor();
    });
  });

  test("shows a reward below the threshold in another colour than one that passes", async () => {
    const colours = new Set<string>();
    for (const name of ["first", "second"])
      await open(at(`run=${ids[name]}&where=right == 1`), async (tab) => {
        const mark = tab.locator(".row").first().getByText("0.9", { exact: true });
        colours.add(await mark.evaluate((element) => getComputedStyle(element).color));
      });
    expect(colours.size).toBe(2);
  });

  test("filters, sorts and searches, and its address has the same state in another tab", async () => {
    let address = "";
    await open(at(`run=${ids["first"]}`), async (tab) => {
      await tab.getByLabel("Filter").fill("right == 1");
      await expect.poll(() => rows(tab)).toEqual(["0 / 0", "0 / 1", "1 / 1"]);
      await tab.getByLabel("Search in messages").fill("SKY? (1)");
      await expect.poll(() => rows(tab)).toEqual(["1 / 1"]);
      await tab.locator(".row").click();
      await tab.locator("mark", { hasText: "sky? (1)" }).first().waitFor();
      address = tab.url();
    });
    await open(address, async (tab) => {
      await expect.poll(() => rows(tab)).toEqual(["1 / 1"]);
      await tab.getByRole("heading", { name: "example 1 / 1" }).waitFor();
    });
  });

  test("explains a mistake in the filter and keeps the list", async () => {
    await open(at(`run=${ids["first"]}&where=rigth > 0`), async (tab) => {
      await tab.getByText("Did you mean right?").waitFor();
      expect(await rows(tab)).toHaveLength(6);
    });
  });

  test("shows the weighted value of each score, the expected answer, and folded thoughts", async () => {
    await open(at(`run=${ids["first"]}&rollout=0-0`), async (tab) => {
      const scores = tab.getByRole("region", { name: "Scores" });
      await expect
        .poll(() => scores.getByRole("row").allTextContents())
        .toEqual(["scorevalueweightaddsshare", "right1× 1+1", "length1× −0.1−0.1", "reward0.9"]);
      await tab.getByText("Expected answer").waitFor();
      const thinking = tab.locator(".thinking pre", { hasText: "I look up." });
      expect(await thinking.isVisible()).toBe(false);
      await tab.keyboard.press("t");
      await thinking.waitFor();
    });
  });

  test("puts examples with different rewards first", async () => {
    await open(at(`run=${ids["first"]}&view=examples`), async (tab) => {
      await expect
        .poll(() => tab.locator(".rows .example-name").allTextContents())
        .toEqual(["1", "0", "2"]);
    });
  });

  test("compares two runs, the greatest regression first, and opens the rollouts of both", async () => {
    const state = `run=${ids["first"]}&other=${ids["second"]}&view=compare`;
    await open(at(state), async (tab) => {
      await expect
        .poll(() => tab.locator("button.pair").allTextContents())
        .toEqual(["00.9−0.1−1", "2−0.1−0.10", "10.40.9+0.5"]);
      await tab.locator("button.pair").first().click();
      await tab.locator(".side-1 .message", { hasText: "The sky is blue." }).waitFor();
      await tab.locator(".side-2 .message", { hasText: "The sky is green." }).waitFor();
    });
  });

  test("saves a note beside the run", async () => {
    await open(at(`run=${ids["first"]}&rollout=2-0`), async (tab) => {
      await tab.getByText("Add a note").click();
      await tab.getByLabel("Note").fill("It looked at the grass.");
      await tab.getByLabel("Note").blur();
      await expect
        .poll(async () => (await fetch(`${server.url}data/runs/${ids["first"]}/notes`)).json())
        .toEqual([{ id: "2-0", text: "It looked at the grass." }]);
    });
  });

  test.each(["", "rollout=1-0", "view=examples", "view=summary", "view=compare"])(
    "is accessible and fits on a phone: %s",
    async (state) => {
      const address = at(`run=${ids["first"]}&other=${ids["second"]}&${state}`);
      const problems = await pageProblems(chromium, address, {
        prepare: (page) => page.locator("header.bar").waitFor(),
      });
      expect(problems).toEqual([]);
    },
  );
});

test("updates a running run in the browser, and shows when it is complete", async () => {
  await write("live", {
    metadata: { ...metadata, num_examples: 3, rollouts_per_example: 2, is_complete: false },
    lines: `${colourLines(() => true).split("\n")[0]}\n`,
  });
  const live = new Workspace();
  const { id } = live.open(paths["live"]!);
  const liveServer = await startViewerServer({ workspace: live });
  try {
    await open(`${liveServer.url}#run=${id}`, async (tab) => {
      await expect.poll(() => tab.locator(".live").textContent()).toMatch(/running 1 of 6/);
      const results = join(paths["live"]!, "results.jsonl");
      await writeFile(
        results,
        colourLines(() => true),
      );
      await expect.poll(() => rows(tab)).toHaveLength(6);
      await writeFile(join(paths["live"]!, "metadata.json"), JSON.stringify(metadata));
      await expect.poll(() => tab.locator(".live").count()).toBe(0);
    });
  } finally {
    await liveServer.close();
  }
});

describe("a report", () => {
  test("opens from a file, searches, and compares its runs", async () => {
    const path = join(folder, "report.html");
    const workspace = new Workspace();
    const readers = [workspace.open(paths["first"]!), workspace.open(paths["second"]!)];
    expect(await writeReport(path, { title: "colours", readers })).toMatchObject({ rollouts: 12 });
    await open(`${pathToFileURL(path).href}#text=green`, async (tab) => {
      await expect.poll(() => rows(tab)).toEqual(["1 / 0", "2 / 0", "2 / 1"]);
      await tab.locator(".row").first().click();
      await tab.locator("mark", { hasText: "green" }).last().waitFor();
      await tab.getByRole("button", { name: "Compare" }).click();
      await tab.getByLabel("Compare with").selectOption({ index: 1 });
      await expect.poll(() => tab.locator("button.pair").count()).toBe(3);
    });
  });
});

describe("hostile records", () => {
  /** Opens an address in which nothing may run, be loaded from elsewhere, or break the policy. */
  async function checkInert(address: string): Promise<void> {
    await open(address, async (tab) => {
      const foreign: string[] = [];
      tab.on("request", (request) => {
        const { protocol, host } = new URL(request.url());
        if (protocol === "http:" && host !== new URL(server.url).host) foreign.push(request.url());
      });
      await tab.exposeFunction("attack", () => foreign.push("attack() was called"));
      await tab.reload();
      await tab.locator("header.bar").waitFor();
      await tab.waitForTimeout(500);
      const state = await tab.evaluate(() => ({
        scripts: document.querySelectorAll("#viewer script, #viewer iframe, #viewer form[action]")
          .length,
        handlers: [...document.querySelectorAll("#viewer *")].filter((element) =>
          element.getAttributeNames().some((name) => name.startsWith("on")),
        ).length,
        links: [...document.querySelectorAll("#viewer a")].map((link) => link.getAttribute("href")),
      }));
      expect(state.scripts).toBe(0);
      expect(state.handlers).toBe(0);
      expect(state.links.filter((href) => /^(?!https?:|mailto:)/u.test(href ?? ""))).toEqual([]);
      expect(foreign).toEqual([]);
    });
  }

  const states = [
    "",
    "rollout=0-0",
    "rollout=3-0",
    "rollout=5-0&format=markdown",
    "rollout=7-0&format=json",
    "rollout=2-0&text=attack",
    "rollout=broken-1",
    "view=examples",
    "view=summary",
    "view=compare",
  ];

  test.each(states)("are inert: %s", async (state) => {
    await checkInert(at(`run=${ids["hostile"]}&other=${ids["hostile"]}&${state}`));
  });

  test("are inert in a report", async () => {
    const path = join(folder, "hostile.html");
    await writeReport(path, {
      title: attacks[0],
      readers: [new Workspace().open(paths["hostile"]!)],
    });
    await checkInert(`${pathToFileURL(path).href}#rollout=5-0&format=markdown`);
  });

  test("are shown with a message if they are cut", async () => {
    await open(at(`run=${ids["hostile"]}&rollout=broken-1`), async (tab) => {
      await expect
        .poll(() => tab.locator(".rollout .problem").textContent())
        .toMatch(/^The record is cut/);
    });
  });
});

test("the tokens of a tiny model's reply show their texts and probabilities", async () => {
  const path = join(folder, "tokens");
  await mkdir(path);
  const [line = ""] = colourLines(() => true).split("\n");
  const tokens = {
    prompt_ids: [0],
    completion_ids: [1, 0],
    completion_logprobs: [-0.1, Math.log(0.5)],
  };
  const record = { ...JSON.parse(line), trajectory: [{ seen: 1, finish_reason: "stop", tokens }] };
  await writeFile(join(path, "metadata.json"), JSON.stringify(metadata));
  await writeFile(join(path, "results.jsonl"), `${JSON.stringify(record)}\n`);
  const report = join(folder, "tokens.html");
  const readers = [new Workspace().open(path)];
  const vocabularyOf = async () => [" sky", "The"];
  await writeReport(report, { title: "tokens", readers, vocabularyOf });
  await open(`${pathToFileURL(report).href}#rollout=0-0`, async (tab) => {
    await tab.getByText("2 tokens").click();
    await expect.poll(() => tab.locator(".token").allTextContents()).toEqual(["The", " sky"]);
    await tab.locator(".token").last().hover();
    await expect
      .poll(() => tab.locator(".token-detail").textContent())
      .toBe('" sky" · id 0 · probability 50 %, log -0.693');
  });
});
