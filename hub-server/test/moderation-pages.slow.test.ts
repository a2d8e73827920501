import { afterAll, beforeAll, expect, test } from "vitest";

import { identityWithoutToken } from "../src/identity/request/identity.ts";
import { act } from "../src/moderation/act.ts";
import { appeal } from "../src/moderation/appeal.ts";
import { createReport } from "../src/moderation/report.ts";
import { type Browser, browser } from "./support/browser.ts";
import { type Chromium, startBrowser } from "./support/chromium.ts";
import { pageProblems } from "./support/page-problems.ts";
import { makePerson, type Person } from "./support/person.ts";
import { publishOrThrow } from "./support/publish.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const pictures = process.env["ENVS_TEST_PICTURES"];
const timeout = 300_000;
let chromium: Chromium;
let tabs: Readonly<Record<"owner" | "moderator" | "stranger", Browser>>;
let suspension: string;

beforeAll(async () => {
  const { hub } = server;
  const root = await makePerson(server, "root-user", { isAdmin: true });
  const ada = await makePerson(server, "ada");
  const eve = await makePerson(server, "eve");
  await publishOrThrow(server, "@ada/chess", { as: ada, packageJson: { description: "Chess." } });
  await publishOrThrow(server, "@ada/draughts", { as: ada });
  const identityOf = ({ id, name }: Person, isAdmin = false) =>
    identityWithoutToken({ id, name, isAdmin, hasSecondFactor: false });
  const details =
    "The file index.js sends the variables of the environment to another host.\n\nLine 12.";
  for (const [kind, name] of [
    ["package", "@ada/chess"],
    ["user", "ada"],
  ] as const)
    await createReport(hub, identityOf(eve), { kind, name, reason: "malware", details });
  const decision = { reason: "malware", explanation: details };
  const moderator = identityOf(root, true);
  await act(hub, moderator, {
    ...decision,
    kind: "package",
    name: "@ada/chess",
    act: "quarantine",
  });
  await act(hub, moderator, {
    ...decision,
    kind: "package",
    name: "@ada/draughts",
    act: "takedown",
  });
  await act(hub, moderator, { ...decision, kind: "user", name: "eve", act: "suspension", days: 7 });
  await createReport(hub, identityOf(ada), { kind: "user", name: "eve", reason: "spam", details });
  const acts = await hub.database.selectFrom("moderation_acts").select(["id", "subject"]).execute();
  const idOf = (subject: string) => acts.find((each) => each.subject === subject)?.id ?? "";
  await appeal(hub, identityOf(ada), { id: idOf("@ada/chess"), text: "It is a test." });
  suspension = idOf("eve");
  tabs = {
    owner: await ada.signIn(),
    moderator: await root.signIn(),
    stranger: browser(server),
  };
  chromium = await startBrowser();
}, timeout);
afterAll(() => chromium.close());

test.for([
  ["owner", "/report?kind=user&name=eve"],
  ["owner", "/settings/decisions"],
  ["owner", "/settings/log"],
  ["owner", "/package/@ada/chess"],
  ["owner", "/package/@ada/chess/settings/log"],
  ["owner", "/package/@ada/draughts"],
  ["moderator", "/moderation"],
  ["moderator", "/moderation/log"],
  ["moderator", "/moderation/target?kind=package&name=@ada/chess"],
  ["moderator", "/moderation/target?kind=user&name=eve"],
  ["moderator", "/user/ada/manage"],
  ["stranger", "/package/@ada/chess"],
  ["stranger", "/appeal"],
] as const)(
  "the page that the %s sees at %s is safe, accessible, and as wide as the window",
  { timeout },
  async ([visitor, address]) => {
    const path = address === "/appeal" ? `/appeal/${suspension}` : address;
    const picture = pictures && `${pictures}/${visitor}${address.replaceAll(/[^\w.-]/g, "-")}`;
    const { cookies } = tabs[visitor];
    const options = { cookies, pictures: picture };
    expect(await pageProblems(chromium, `${server.url}${path}`, options)).toEqual([]);
  },
);
