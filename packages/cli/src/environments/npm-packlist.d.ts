declare module "npm-packlist" {
  /** What is read of npm's tree of packages where nothing is bundled. */
  interface PackageNode {
    readonly path: string;
    readonly package: Readonly<Record<string, unknown>>;
    readonly isProjectRoot: true;
    readonly edgesOut: ReadonlyMap<string, unknown>;
  }

  /** The paths, with slashes, of the files that npm packs. */
  export default function packlist(tree: PackageNode): Promise<string[]>;
}
