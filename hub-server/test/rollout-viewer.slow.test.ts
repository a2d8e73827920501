import { toRow } from "@envs/records";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type Chromium, startBrowser, type Tab } from "./support/chromium.ts";
import { pageProblems } from "./support/page-problems.ts";
import { makePerson, type Person } from "./support/person.ts";
import { pushRun, testPart, testRollout, testRun } from "./support/runs.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
let chromium: Chromium;
let ada: Person;
let chess: string;
const runs: Record<string, string> = {};

/** Two rollouts of each of three examples. */
function played(isWin: (example: number, rollout: number) => boolean, environment = "chess") {
  return [0, 1, 2].flatMap((example) =>
    [0, 1].map((rollout) => {
      const win = Number(isWin(example, rollout));
      const reply = win === 1 ? "Checkmate." : "<img src=x onerror=attack()> I resign.";
      return testRollout({ environment, example, rollout, scores: { win }, reply });
    }),
  );
}

beforeAll(async () => {
  [chromium, ada] = await Promise.all([startBrowser(), makePerson(server, "ada")]);
  const scores = [{ name: "win", weight: 1, isGroup: false, range: [0, 1] as [number, number] }];
  const seed = async (bare: string, access: "public" | "restricted") =>
    (await seedEnvironment(server.hub, ada, { bare, access, manifest: { scores } })).name;
  chess = await seed("chess", "public");
  const secret = await seed("secret", "restricted");
  const push = async (name: string, rollouts: ReturnType<typeof played>, model: string) =>
    await pushRun(server, ada, await testRun(server, name, rollouts, { model }));
  const good = played((example, rollout) => example + rollout > 0);
  runs["good"] = await push(chess, good, "good");
  runs["bad"] = await push(
    chess,
    played((example) => example === 1),
    "bad",
  );
  runs["secret"] = await push(
    secret,
    played(() => true, "secret"),
    "hidden",
  );
});

afterAll(() => chromium.close());

async function open(path: string, use: (tab: Tab) => Promise<void>): Promise<void> {
  const context = await chromium.newContext({ locale: "en-GB" });
  const tab = await context.newPage();
  const problems: string[] = [];
  tab.on("pageerror", ({ message }) => problems.push(message));
  tab.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  try {
    await tab.goto(`${server.url}${path}`);
    await use(tab);
    expect(problems).toEqual([]);
  } finally {
    await context.close();
  }
}

test("shows a run's rollouts and the weighted scores of each, and finds text in messages", async () => {
  await open(`/run/${runs["good"]}/rollouts`, async (tab) => {
    const rows = () => tab.locator(".row .row-id").allTextContents();
    await expect.poll(rows).toHaveLength(6);
    await tab.getByLabel("Search in messages").fill("resign");
    await expect.poll(rows).toEqual(["0 / 0"]);
    await tab.locator(".row").click();
    await tab.locator("mark", { hasText: "resign" }).last().waitFor();
    const scores = tab.getByRole("region", { name: "Scores" }).getByRole("row");
    await expect.poll(() => scores.allTextContents()).toContain("win0× 10");
    await tab.getByRole("link", { name: "Run", exact: true }).waitFor();
  });
});

test("compares a run with another one of the same package", async () => {
  await open(`/run/${runs["good"]}/rollouts#view=compare&other=${runs["bad"]}`, async (tab) => {
    await expect
      .poll(() => tab.locator("button.pair").allTextContents())
      .toEqual(["210−1", "00.50−0.5", "1110"]);
  });
});

test("opens the rollout that an address names by its position", async () => {
  await open(`/run/${runs["good"]}/rollouts/3`, async (tab) => {
    await expect.poll(() => tab.locator(".rollout-heading h2").textContent()).toBe("example 1 / 1");
  });
});

test("keeps notes in the browser", async () => {
  await open(`/run/${runs["good"]}/rollouts#rollout=0`, async (tab) => {
    await tab.getByText("Add a note").click();
    await tab.getByLabel("Note").fill("An early end.");
    await tab.getByLabel("Note").blur();
    await tab.reload();
    await expect.poll(() => tab.getByLabel("Note").inputValue()).toBe("An early end.");
  });
});

test("is accessible and fits on a phone", async () => {
  const address = `${server.url}/run/${runs["good"]}/rollouts#rollout=1`;
  const prepare = (tab: Tab) => tab.locator(".conversation").waitFor();
  expect(await pageProblems(chromium, address, { prepare })).toEqual([]);
});

test("shows the curves of a training and the rollouts of its steps", async () => {
  const { upload } = await testRun(
    server,
    chess,
    played(() => true),
    {
      kind: "training",
      model: "trained",
    },
  );
  const metrics = [1, 2].map((step) => ({
    phase: "rl",
    step,
    kind: "rl",
    at: step,
    values: { reward: step / 2 },
  }));
  const parts = [
    testPart(played(() => true).map(toRow), { phase: "rl", step: 2 }),
    testPart(metrics, { kind: "metrics" }),
  ];
  const run = { upload: { ...upload, parts: parts.map(({ part }) => part) }, parts };
  const id = await pushRun(server, ada, run);
  await open(`/run/${id}/rollouts`, async (tab) => {
    await tab.locator(".plot", { hasText: "reward" }).waitFor();
    await tab.getByRole("button", { name: "rl 2" }).click();
    await expect.poll(() => tab.locator(".row").count()).toBe(6);
  });
});

test.each([
  "",
  "/data/runs",
  "/data/runs/ID/events",
  "/data/runs/ID/records/0",
  "/data/runs/ID/search?text=e4",
])(
  "returns 404 to strangers for a run of a private package, as for a missing one: /rollouts%s",
  async (path) => {
    const response = (id: string) =>
      fetch(`${server.url}/run/${id}/rollouts${path.replace("ID", id)}`);
    const [hidden, missing] = [await response(runs["secret"]!), await response("aaaaaaaaaaaa")];
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    const { cookies } = await ada.signIn();
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const own = await fetch(hidden.url, { headers: { cookie } });
    expect(own.status).toBe(200);
  },
);

test("returns 404 for a private run that the address of a public one names", async () => {
  const data = `${server.url}/run/${runs["good"]}/rollouts/data/runs`;
  expect((await fetch(`${data}/${runs["secret"]}/events`)).status).toBe(404);
  expect(await (await fetch(data)).text()).not.toContain("hidden");
});
