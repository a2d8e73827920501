import { afterAll, beforeAll } from "vitest";

import { type DatabaseKind, testHub, type TestHub, type TestUser } from "./hub.ts";

type Variables = Readonly<Record<string, string>>;

/**
 * Starts one hub for all tests of the enclosing `describe`, or of the file, and closes it after them. The result can be used
 * in hooks and tests. `variables` may be a function if earlier hooks compute them.
 */
export function sharedHub(
  kind: DatabaseKind,
  variables: Variables | (() => Variables | Promise<Variables>) = {},
): TestHub {
  let server: TestHub | undefined;
  beforeAll(async () => {
    server = await testHub(kind, typeof variables === "function" ? await variables() : variables);
  });
  afterAll(() => server?.close());
  return new Proxy({} as TestHub, {
    get(_, property) {
      if (server === undefined) throw new Error("The shared hub starts in `beforeAll`.");
      return Reflect.get(server, property) as unknown;
    },
  });
}

/** Creates a user of a shared hub before its tests. `id` and `token` are undefined until then. */
export function sharedUser(
  server: TestHub,
  name: string,
  options?: { readonly isAdmin?: boolean },
): TestUser {
  const user = { name } as TestUser;
  beforeAll(async () => void Object.assign(user, await server.createUser(name, options)));
  return user;
}
