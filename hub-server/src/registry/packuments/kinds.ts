import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { abbreviatedType } from "../answers/negotiation.ts";
import {
  abbreviatedDocument,
  fullDocument,
  latestOf,
  tagsOf,
  versionDocument,
} from "./document.ts";
import { type PackageSource, readmeOf } from "./source.ts";

/** One of the documents that a package is served as. */
export interface Kind {
  /** Tells it from the package's other documents. */
  readonly key: string;
  readonly type: string;
  readonly make: (hub: Hub, source: PackageSource, origin: string) => unknown;
}

const json = "application/json";

export const full: Kind = {
  key: "full",
  type: json,
  async make({ database }, source, origin) {
    const latest = latestOf(source);
    const readme = latest === undefined ? "" : await readmeOf(database, latest.id);
    return fullDocument(source, { origin, readme });
  },
};

export const abbreviated: Kind = {
  key: "abbreviated",
  type: abbreviatedType,
  make: (_hub, source, origin) => abbreviatedDocument(source, origin),
};

export const tags: Kind = { key: "tags", type: json, make: (_hub, source) => tagsOf(source) };

/** One version, by its number or by a dist-tag. */
export function oneVersion(wanted: string): Kind {
  return {
    key: `version ${wanted}`,
    type: json,
    make(_hub, source, origin) {
      const found = versionDocument(source, { wanted, origin });
      if (found === undefined) throw notFound(`${source.name}@${wanted}`);
      return found;
    },
  };
}
