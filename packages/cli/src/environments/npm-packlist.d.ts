declare module "npm-packlist" {
  /** The properties of an Arborist node that npm-packlist reads of a package without bundled dependencies. */
  interface PackageNode {
    readonly path: string;
    readonly package: Readonly<Record<string, unknown>>;
    readonly isProjectRoot: true;
    readonly edgesOut: ReadonlyMap<string, unknown>;
  }

  /** The paths of the files that npm packs, with forward slashes. */
  export default function packlist(tree: PackageNode): Promise<string[]>;
}
