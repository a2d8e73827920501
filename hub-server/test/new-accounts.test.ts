import { expect, test } from "vitest";

import { createInvitation } from "../src/identity/accounts/inviting.ts";
import { anyDatabase } from "./support/hub.ts";
import { makeOrganisation } from "./support/organisation.ts";
import { makePerson } from "./support/person.ts";
import { publish, publishOrThrow } from "./support/publish.ts";
import { sharedHub } from "./support/shared-hub.ts";

const day = 24 * 3_600_000;
const limits = {
  HUB_PACKAGES_PER_WEEK: "20",
  HUB_INVITATIONS_PER_DAY: "20",
  HUB_REPORTS_PER_DAY: "10",
};
const open = sharedHub(anyDatabase, { HUB_REGISTRATION: "open", ...limits });
const invited = sharedHub(anyDatabase, limits);

test("an open hub gives a new account a tenth of the limits, and states when they rise", async () => {
  const ada = await open.createUser("ada");
  const root = await open.createUser("root-user", { isAdmin: true });
  const put = (name: string, as = ada) => publish(open, name, { as });
  for (const name of ["@ada/one", "@ada/two"]) await publishOrThrow(open, name, { as: ada });
  const rejected = await put("@ada/three");
  expect([rejected.status, await rejected.json()]).toMatchObject([
    429,
    { error: expect.stringMatching(/may publish 2 new packages per week.*rises to 20 on 20/) },
  ]);
  for (const name of ["@root-user/a", "@root-user/b", "@root-user/c"])
    expect((await put(name, root)).status).toBe(201);
  open.advanceClock(7 * day);
  for (const name of ["@ada/three", "@ada/four", "@ada/five"])
    expect([name, (await put(name)).status]).toEqual([name, 201]);
});

test("an open hub lets a new owner invite a tenth of the users", async () => {
  const grace = await open.createUser("grace");
  await makeOrganisation(open, grace, "word-games");
  const { database } = open.hub;
  const inviter = { ...grace, isAdmin: false };
  const invite = () =>
    createInvitation(open.hub, inviter, { organisation: "word-games", isAdmin: false, days: 1 });
  const results = await Promise.allSettled([invite(), invite(), invite()]);
  expect(results.find(({ status }) => status === "rejected")).toMatchObject({
    reason: {
      status: 429,
      message: expect.stringContaining("may invite 2 users per day") as unknown,
    },
  });
  const count = database.selectFrom("invitations").where("invited_by", "=", grace.id);
  expect(await count.select("id").execute()).toHaveLength(2);
});

test("a hub with invitations gives a new account the full limits", async () => {
  const ada = await invited.createUser("ada");
  for (const name of ["@ada/one", "@ada/two", "@ada/three"])
    expect([name, (await publish(invited, name, { as: ada })).status]).toEqual([name, 201]);
});

test("an open hub has a storage quota, which administrators change for an account", async () => {
  const bob = await makePerson(open, "bobby");
  const root = await makePerson(open, "admin-one", { isAdmin: true });
  const [owner, administrator] = [await bob.signIn(), await root.signIn()];
  expect((await owner.open("/settings/packages")).text).toContain("0 bytes of 5.4 GB used");
  expect((await owner.open("/moderation/quotas")).status).toBe(403);
  await administrator.open("/moderation/quotas");
  const fields = { "User or organisation": "bobby", "Quota in GB": "0.0000001" };
  expect((await administrator.press("Save", fields)).text).toContain("Quota changed.");
  const rejected = await publish(open, "@bobby/chess", { as: bob });
  expect([rejected.status, await rejected.json()]).toMatchObject([403, { code: "owner-full" }]);
  expect((await owner.open("/settings/log")).text).toContain(
    "Changed the storage quota of bobby by admin-one",
  );
  await administrator.press("Save", { ...fields, "Quota in GB": "" });
  await publishOrThrow(open, "@bobby/chess", { as: bob });
});
