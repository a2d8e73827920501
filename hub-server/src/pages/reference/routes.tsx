import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import type { Hub } from "../../platform/hub/hub.ts";
import { publicPage } from "../layout/public-page.ts";
import { type ApiDocument, type Operation } from "./api-document.ts";
import { FieldTable, SchemaView } from "./schema.tsx";

/** Serves the reference of the API, from its OpenAPI document. */
export function referencePage(app: FastifyInstance, hub: Hub): void {
  publicPage(app, hub, "/api/reference", async () => {
    const document = app.swagger() as unknown as ApiDocument;
    return {
      title: document.info.title,
      heading: null,
      width: "wide",
      meta: { path: "/api/reference", description: "The routes of this hub’s API." },
      children: <Reference document={document} />,
    };
  });
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function Reference({ document }: { readonly document: ApiDocument }): ReactNode {
  const { info, tags = [], paths = {}, components = {} } = document;
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
  const schemas = Object.entries(components.schemas ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const groups = tags.map(({ name }) => name);
  return (
    <div className="sections">
      <nav className="section-list" aria-label="Sections">
        <ul>
          {[...groups, "Schemas"].map((name) => (
            <li key={name}>
              <a href={`#${groupId(name)}`}>{name}</a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="section-content reference">
        <h1>{info.title}</h1>
        {info.description !== undefined && <Prose text={info.description} />}
        <p>
          As a document for programs: <a href="/api/openapi.json">OpenAPI 3.1</a>. As text for
          language models: <a href="/llms.txt">llms.txt</a>.
        </p>
        {groups.map((name) => (
          <section key={name}>
            <h2 id={groupId(name)}>{name}</h2>
            {routes
              .filter(({ operation }) => operation.tags?.includes(name))
              .map((route) => (
                <RouteEntry key={`${route.method} ${route.path}`} {...route} />
              ))}
          </section>
        ))}
        <section>
          <h2 id={groupId("Schemas")}>Schemas</h2>
          {schemas.map(([name, schema]) => (
            <section key={name}>
              <h3 id={name}>{name}</h3>
              <SchemaView label={`Fields of ${name}`} schema={schema} />
            </section>
          ))}
        </section>
      </div>
    </div>
  );
}

function groupId(name: string): string {
  return `group-${name.toLowerCase().replaceAll(/\W+/g, "-")}`;
}

/** Text in which backticks mark code. */
function Prose({ text }: { readonly text: string }): ReactNode {
  return (
    <p>
      {text
        .split("`")
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </p>
  );
}

function RouteEntry({ method, path, operation }: Route): ReactNode {
  const { summary, security = [], parameters = [], requestBody, responses = {} } = operation;
  const isOpen = security.some((scheme) => Object.keys(scheme).length === 0);
  const name = `${method.toUpperCase()} ${path}`;
  return (
    <details className="route">
      <summary>
        <code className="route-method">{method.toUpperCase()}</code> <code>{path}</code>
        <span className="quiet small block">
          {summary}
          {!isOpen && ". Needs a token"}
        </span>
      </summary>
      {parameters.length > 0 && (
        <>
          <h3>Parameters</h3>
          <FieldTable
            label={`Parameters of ${name}`}
            fields={parameters.map((each) => ({
              name: each.name,
              place: each.in,
              isRequired: each.required ?? false,
              schema: { description: each.description, ...each.schema },
            }))}
          />
        </>
      )}
      <Contents title="Body" of={name} content={requestBody?.content} />
      {Object.entries(responses).map(([status, { content }]) => (
        <Contents key={status} title={`Response ${status}`} of={name} content={content} />
      ))}
    </details>
  );
}

/** The schemas of a body, by media type. */
function Contents({
  title,
  of,
  content = {},
}: {
  readonly title: string;
  readonly of: string;
  readonly content?: NonNullable<Operation["requestBody"]>["content"];
}): ReactNode {
  return Object.entries(content).map(([type, { schema = {} }]) => (
    <section key={type}>
      <h3>
        {title} <span className="quiet small">{type}</span>
      </h3>
      <SchemaView label={`${title} of ${of}`} schema={schema} />
    </section>
  ));
}
