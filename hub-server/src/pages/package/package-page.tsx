import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ReactNode } from "react";

import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { PageContent } from "../layout/frame.tsx";
import type { PageMeta } from "../layout/head.tsx";
import { sendPage } from "../layout/page.tsx";
import { servePage } from "../layout/public-page.ts";
import { PackageHeader } from "./header.tsx";
import { kindOf } from "./package-kind.ts";
import type { PackageView } from "./package-view.ts";

/** The tabs of a package's page, by the last part of their paths. */
export type Tab =
  | "overview"
  | "evaluations"
  | "play"
  | "versions"
  | "files"
  | "dependents"
  | "security"
  | "settings";

interface TabContent {
  readonly tab: Tab;
  /** The title of the page; the heading is the package's name. */
  readonly title?: string | undefined;
  readonly children: ReactNode;
  readonly meta?: PageMeta | undefined;
  readonly status?: number | undefined;
}

/** The part of the path after the package's name, and the content of the tab. */
interface TabRoute {
  readonly after: string;
  readonly content: (name: string, visit: Visit) => Promise<PageContent>;
}

interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Registers a tab of the pages of packages. Visitors who are not signed in receive a cached copy, until a package changes. */
export function packageTab(app: FastifyInstance, hub: Hub, { after, content }: TabRoute): void {
  packageRoute(app, `GET /package/:package${after}`, (name, request, reply) =>
    servePage(hub, request, reply, () => content(name, { request, reply })),
  );
}

/** Sends a tab of a package's page, below the header that all tabs share. */
export function sendPackagePage(
  reply: FastifyReply,
  view: PackageView,
  content: TabContent,
): FastifyReply {
  return sendPage(reply, view.visitor, packagePage(view, content));
}

/** The content of a tab, below the header that all tabs share. */
export function packagePage(
  view: PackageView,
  { tab, title, children, meta, status }: TabContent,
): PageContent {
  const { name } = view.detail;
  return {
    title: title === undefined ? name : `${title} · ${name}`,
    heading: null,
    width: "wide",
    status,
    // Search engines must not list what only some users may read.
    meta: view.package.access === "public" ? meta : undefined,
    children: (
      <>
        <PackageHeader view={view} />
        <Tabs view={view} tab={tab} />
        {children}
      </>
    ),
  };
}

function Tabs({ view, tab }: { readonly view: PackageView; readonly tab: Tab }): ReactNode {
  const { path, version, isWriter, isPinned } = view;
  const isMeasured = ["environment", "suite"].includes(kindOf(version));
  const tabs: readonly (readonly [Tab, string, string, boolean])[] = [
    ["overview", "Overview", isPinned ? `${path}/v/${version.version}` : path, true],
    ["evaluations", "Evaluations", `${path}/evaluations`, isMeasured],
    ["play", "Play", `${path}/play`, isPlayable(view)],
    ["versions", "Versions", `${path}/versions`, true],
    ["files", "Files", `${path}/files/${version.version}`, true],
    ["dependents", "Dependencies", `${path}/dependents`, true],
    ["security", "Security", `${path}/security`, true],
    ["settings", "Settings", `${path}/settings`, isWriter],
  ];
  return (
    <nav className="tabs package-tabs" aria-label="Package">
      <ul>
        {tabs
          .filter(([, , , isShown]) => isShown)
          .map(([name, label, href]) => (
            <li key={name}>
              <a href={href} aria-current={name === tab ? "page" : undefined}>
                {label}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  );
}

function isPlayable({ version: { environment } }: PackageView): boolean {
  return environment?.runtimes.includes("browser") === true;
}
