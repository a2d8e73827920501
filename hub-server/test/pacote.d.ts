/** What the tests use of npm's reader of packages, which has no types. */
declare module "pacote" {
  interface Options {
    readonly registry: string;
    readonly cache: string;
    readonly verifySignatures?: boolean;
    readonly preferOnline?: boolean;
    readonly fullMetadata?: boolean;
    readonly integrity?: string;
    readonly [key: `//${string}/:${string}`]: unknown;
  }
  interface Manifest {
    readonly name: string;
    readonly version: string;
    readonly _integrity: string;
    readonly _signatures?: readonly { readonly keyid: string; readonly sig: string }[];
  }
  interface Packument {
    readonly versions: Readonly<Record<string, unknown>>;
  }
  const pacote: {
    packument(spec: string, options: Options): Promise<Packument>;
    manifest(spec: string, options: Options): Promise<Manifest>;
    tarball(spec: string, options: Options): Promise<Buffer>;
  };
  export default pacote;
}
