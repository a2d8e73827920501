import type { TestHub, TestUser } from "./hub.ts";
import { makeOrganisation } from "./organisation.ts";
import { escapedName } from "./package-document.ts";
import { makePerson, type Person } from "./person.ts";
import { publishBody, publishOrThrow } from "./publish.ts";

/** Users with different rights in one organisation, and what they have published. */
export interface SeededPeople {
  /** Owns the organisation. */
  readonly ada: Person;
  /** A developer of the organisation. */
  readonly grace: Person;
  /** A stranger. */
  readonly eve: Person;
  /** The organisation's name. */
  readonly organisation: string;
  /** The names of packages of the organisation. */
  readonly publicPackage: string;
  readonly privatePackage: string;
  /** The id of a version that waits for approval. */
  readonly stagedId: string;
}

/** Creates an organisation with members, a team, a public and a private package, and a staged version. */
export async function seedPeople(server: TestHub): Promise<SeededPeople> {
  const ada = await makePerson(server, "ada");
  const grace = await makePerson(server, "grace");
  const eve = await makePerson(server, "eve");
  const organisation = "word-games";
  await makeOrganisation(server, ada, organisation);
  const put = async (path: string, body: unknown): Promise<void> => {
    const { status } = await server.request(path, { method: "PUT", as: ada, body });
    if (status >= 300) throw new Error(`PUT ${path}: ${status}`);
  };
  await put(`/-/org/${organisation}/user`, { user: "grace", role: "developer" });
  await put(`/-/org/${organisation}/team`, { name: "reviewers" });
  await put(`/-/team/${organisation}/reviewers/user`, { user: "ada" });
  const publicPackage = `@${organisation}/word-length`;
  const privatePackage = `@${organisation}/unreleased-riddles`;
  const description = "Count the letters of a word";
  await publishOrThrow(server, publicPackage, {
    as: ada,
    access: "public",
    packageJson: { description, dependencies: { zod: "^4.0.0" } },
    files: { "README.md": "# Word length\n", "index.js": "export default 1;\n" },
  });
  await publishOrThrow(server, privatePackage, { as: ada, access: "restricted" });
  const stagedId = await stage(server, publicPackage, {
    as: grace,
    version: "1.1.0",
    packageJson: { description, dependencies: { zod: "^4.0.0" } },
    files: { "README.md": "# Word length\n", "index.js": "export default 2;\n", "a.js": "" },
  });
  return { ada, grace, eve, organisation, publicPackage, privatePackage, stagedId };
}

/** Stages a version, as `npm stage publish` does, and returns its id. */
export async function stage(
  server: Pick<TestHub, "request">,
  name: string,
  { as, ...options }: { readonly as: TestUser } & Parameters<typeof publishBody>[1],
): Promise<string> {
  const response = await server.request(`/-/stage/package/${escapedName(name)}`, {
    method: "POST",
    as,
    body: publishBody(name, options),
  });
  if (response.status !== 201) throw new Error(`${name}: ${await response.text()}`);
  return ((await response.json()) as { readonly stageId: string }).stageId;
}
