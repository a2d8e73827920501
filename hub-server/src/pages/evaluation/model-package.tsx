import type { ReactNode } from "react";

import { isPackageName } from "../../platform/names/package-name.ts";
import { NameLink } from "../layout/elements.tsx";
import { packagePath, versionPath } from "../package/package-view.ts";

/** Links to the package of a model: `@you/model@1.0.0`. */
export function ModelPackage({ spec }: { readonly spec: string }): ReactNode {
  const [, name, version] = /^(@?[^@\s]+)(?:@([\w.+-]+))?$/.exec(spec) ?? [];
  if (name === undefined || !isPackageName(name)) return <code>{spec}</code>;
  const path = version === undefined ? packagePath(name) : versionPath(name, version);
  return <NameLink href={path}>{spec}</NameLink>;
}
