/** Packages of other registries and hubs. */
export interface UpstreamTables {
  upstream_packages: {
    name: string;
    origin: string;
    etag: string | null;
    document: string | null;
    checked_at: Date;
  };
  upstream_tarballs: {
    name: string;
    version: string;
    integrity: string;
    shasum: string;
    blob: string;
    size: number;
    fetched_at: Date;
  };
  mirrors: { origin: string; sequence: number; hash: string; lease_until: Date };
}
