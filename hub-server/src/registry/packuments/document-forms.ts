import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { abbreviatedType } from "../responses/negotiation.ts";
import {
  abbreviatedDocument,
  fullDocument,
  latestOf,
  tagsOf,
  versionDocument,
} from "./document.ts";
import { type PackageSource, readReadme } from "./source.ts";

/** A form in which the hub serves the data of a package. */
export interface DocumentForm {
  /** Distinguishes the document from the package's other documents in the cache. */
  readonly key: string;
  readonly type: string;
  readonly make: (hub: Hub, source: PackageSource, origin: string) => unknown;
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
};

export const abbreviatedForm: DocumentForm = {
  key: "abbreviated",
  type: abbreviatedType,
  make: (_hub, source, origin) => abbreviatedDocument(source, origin),
};

export const tagsForm: DocumentForm = {
  key: "tags",
  type: json,
  make: (_hub, source) => tagsOf(source),
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
  };
}
