import type { Database } from "../../platform/database/tables.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { UpstreamDocument } from "../../upstream/document.ts";
import { abbreviatedType } from "../responses/representation.ts";
import {
  abbreviatedDocument,
  fullDocument,
  latestOf,
  tagsOf,
  versionDocument,
} from "./document.ts";
import type { PackageSource } from "./source.ts";
import { abbreviatedOfUpstream, fullOfUpstream, versionOfUpstream } from "./upstream-documents.ts";

/** Reads the README of one version, because packuments contain only that of the latest. */
async function readReadme(database: Database, versionId: number): Promise<string> {
  const { readme } = await database
    .selectFrom("versions")
    .where("id", "=", versionId)
    .select("readme")
    .executeTakeFirstOrThrow();
  return readme;
}

/** A form in which the hub serves the data of a package. */
export interface DocumentForm {
  /** Distinguishes the document from the package's other documents in the cache. */
  readonly key: string;
  readonly type: string;
  readonly make: (hub: Hub, source: PackageSource, origin: string) => unknown;
  /** The same for a package of an upstream. */
  readonly ofUpstream: (document: UpstreamDocument, origin: string) => unknown;
}

const json = "application/json";

export const fullForm: DocumentForm = {
  key: "full",
  type: json,
  async make({ database }, source, origin) {
    const latest = latestOf(source);
    const readme = latest === undefined ? "" : await readReadme(database, latest.id);
    return fullDocument(source, { origin, readme });
  },
  ofUpstream: fullOfUpstream,
};

export const abbreviatedForm: DocumentForm = {
  key: "abbreviated",
  type: abbreviatedType,
  make: (_hub, source, origin) => abbreviatedDocument(source, origin),
  ofUpstream: abbreviatedOfUpstream,
};

export const tagsForm: DocumentForm = {
  key: "tags",
  type: json,
  make: (_hub, source) => tagsOf(source),
  ofUpstream: ({ "dist-tags": tags }) => tags,
};

/** The form that contains one version. `selector` is its number or a dist-tag. */
export function versionForm(selector: string): DocumentForm {
  return {
    key: `version ${selector}`,
    type: json,
    make(_hub, source, origin) {
      const document = versionDocument(source, { selector, origin });
      if (document === undefined) throw notFound(`${source.name}@${selector}`);
      return document;
    },
    ofUpstream(document, origin) {
      const version = versionOfUpstream(document, selector, origin);
      if (version === undefined) throw notFound(`${document.name}@${selector}`);
      return version;
    },
  };
}
