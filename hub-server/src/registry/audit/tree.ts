import * as z from "zod";

/** What Yarn 1 and old versions of npm ask: the tree of what is installed. */
export const treeRequest = z.object({
  dependencies: z.record(z.string(), z.unknown()).default({}),
});

/** A package in the tree. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  readonly isDev: boolean;
  readonly parent: Installed | undefined;
}

const branch = z.object({
  version: z.string().catch(""),
  dev: z.boolean().catch(false),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
});

/** Everything in a tree, without recursion: it may be as deep as the body is long. */
export function* installedIn(tree: z.output<typeof treeRequest>): Generator<Installed> {
  const open: { parent: Installed | undefined; dependencies: Readonly<Record<string, unknown>> }[] =
    [{ parent: undefined, dependencies: tree.dependencies }];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const [name, value] of Object.entries(next.dependencies)) {
      const { version, dev, dependencies } = branch.parse(value ?? {});
      const installed = { name, version, isDev: dev, parent: next.parent };
      yield installed;
      open.push({ parent: installed, dependencies });
    }
}

/** The names on the way to a package, as clients print it. */
export function pathOf(installed: Installed): string {
  const names: string[] = [];
  for (let each: Installed | undefined = installed; each !== undefined; each = each.parent)
    names.push(each.name);
  return names.toReversed().join(">");
}
