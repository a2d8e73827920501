import { join } from "node:path";

import { Application, Converter } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";

import { pagesFolder, root } from "./folders.ts";
import { modules } from "./modules.ts";

/** The layout of the Markdown: one page for each module, tables for the properties of types, no links to source files. */
const layout: Partial<PluginOptions> = {
  entryFileName: "index",
  // TypeDoc counts headings of equal names differently than VitePress does.
  useHTMLAnchors: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  propertyMembersFormat: "table",
  typeDeclarationFormat: "table",
  tableColumnSettings: {
    hideSources: true,
    hideModifiers: true,
    hideDefaults: true,
    hideInherited: true,
    hideOverrides: true,
  },
  pageTitleTemplates: {
    index: "API",
    module: ({ name }) => modules.find(([page]) => page === name)?.[1] ?? name,
  },
};

/** Writes the API reference as Markdown pages, from the docstrings of what the packages export. */
export async function writeApiReference(): Promise<void> {
  const app = await Application.bootstrapWithPlugins({
    entryPoints: modules.map(([, , path]) => join(root, path)),
    tsconfig: join(import.meta.dirname, "../tsconfig.api.json"),
    // The compiler of this package is older than the workspace's, which has checked the types.
    skipErrorChecking: true,
    plugin: ["typedoc-plugin-markdown"],
    outputs: [{ name: "markdown", path: join(pagesFolder, "api") }],
    router: "module",
    readme: "none",
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    groupOrder: ["Functions", "Variables", "Classes", "Interfaces", "Type Aliases"],
    logLevel: "Warn",
    ...layout,
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const [index, module] of (project.children ?? []).entries())
      module.name = modules[index]?.[0] ?? module.name;
  });
  const project = await app.convert();
  if (project === undefined)
    throw new Error("TypeDoc cannot read the packages. See its errors above.");
  await app.generateOutputs(project);
}
