import type { Element, ElementContent, Root } from "hast";
import { toString } from "hast-util-to-string";
import rehypeRaw from "rehype-raw";
import rehypeSanitize, { defaultSchema, type Options as Schema } from "rehype-sanitize";
import rehypeSlug from "rehype-slug";
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { SKIP, visit } from "unist-util-visit";

import { type CodeToken, highlight } from "./highlight.ts";
import { imageSource, linkTarget, type ReadmeBase } from "./readme-links.ts";

/** GitHub's schema without elements that load files, and with our prefix for ids. */
const schema: Schema = {
  ...defaultSchema,
  clobberPrefix: "readme-",
  strip: ["script", "style", "template", "textarea", "title", "noscript"],
  tagNames: (defaultSchema.tagNames ?? []).filter(
    (name) => !["picture", "source", "input"].includes(name),
  ),
  protocols: { href: ["http", "https", "mailto"], src: ["http", "https"], cite: ["http", "https"] },
};

/** Renders a README for the package's page. The result contains no scripts, styles, forms or remote images. */
export async function readmeHtml(markdown: string, base: ReadmeBase): Promise<string> {
  const processor = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype, { allowDangerousHtml: true, clobberPrefix: "" })
    .use(rehypeRaw)
    .use(markTasks)
    .use(rehypeSlug)
    .use(rehypeSanitize, schema)
    .use(() => (tree: Root) => adaptReferences(tree, base))
    .use(() => (tree: Root) => dropTitle(tree, base.name))
    .use(() => (tree: Root) => adaptStructure(tree))
    .use(() => highlightBlocks)
    .use(rehypeStringify);
  return String(await processor.process(markdown));
}

/** Replaces the checkboxes of task lists by signs, because a page's checkbox needs a label. */
function markTasks() {
  return (tree: Root): void => {
    visit(tree, "element", (node, index, parent) => {
      if (node.tagName !== "input" || index === undefined || parent === undefined) return;
      const isDone = node.properties["checked"] === true;
      parent.children[index] = { type: "text", value: isDone ? "☑" : "☐" };
    });
  };
}

/** Points links and images to the version's files. A remote image becomes a link, so that pages load nothing from other hosts. */
function adaptReferences(tree: Root, base: ReadmeBase): void {
  const linked = new Set<Element>();
  visit(tree, "element", (node) => {
    if (node.tagName !== "a") return;
    adaptLink(node, base);
    visit(node, "element", (inner) => void linked.add(inner));
  });
  visit(tree, "element", (node, index, parent) => {
    if (node.tagName !== "img" || index === undefined || parent === undefined) return;
    parent.children[index] = image(node, base, linked.has(node));
    return SKIP;
  });
}

function adaptLink(node: Element, base: ReadmeBase): void {
  const { href, ...properties } = node.properties;
  const target = typeof href === "string" ? linkTarget(href, base) : undefined;
  const isOutside = target !== undefined && /^https?:/i.test(target);
  node.properties = {
    ...properties,
    ...(target !== undefined && { href: target }),
    ...(isOutside && { rel: ["nofollow", "noopener", "ugc"] }),
  };
}

function image(node: Element, base: ReadmeBase, isLinked: boolean): ElementContent {
  const { src, alt } = node.properties;
  const source = typeof src === "string" ? src : "";
  const label = typeof alt === "string" && alt !== "" ? alt : "image";
  const local = imageSource(source, base);
  if (local !== undefined)
    return {
      ...node,
      properties: { ...node.properties, src: local, alt: label, loading: "lazy" },
    };
  const text: ElementContent = { type: "text", value: label };
  if (isLinked || !/^https?:/i.test(source)) return text;
  return {
    type: "element",
    tagName: "a",
    properties: { href: source, rel: ["nofollow", "noopener", "ugc"] },
    children: [text],
  };
}

function dropTitle(tree: Root, name: string): void {
  const first = tree.children.findIndex(({ type }) => type === "element");
  const heading = tree.children[first];
  if (heading?.type === "element" && heading.tagName === "h1" && toString(heading).trim() === name)
    tree.children.splice(first, 1);
}

/** Lowers headings by one level, because the page has its own first one. Wide blocks scroll and can be focused. */
function adaptStructure(tree: Root): void {
  visit(tree, "element", (node, index, parent) => {
    const [, level] = /^h([1-5])$/.exec(node.tagName) ?? [];
    if (level !== undefined) node.tagName = `h${Number(level) + 1}`;
    if (node.tagName === "pre") node.properties["tabIndex"] = 0;
    if (node.tagName !== "table" || index === undefined || parent === undefined) return;
    parent.children[index] = {
      type: "element",
      tagName: "div",
      properties: { className: ["scroll"], tabIndex: 0 },
      children: [node],
    };
    return [SKIP, index + 1];
  });
}

async function highlightBlocks(tree: Root): Promise<void> {
  const blocks: Element[] = [];
  visit(tree, "element", (node, _index, parent) => {
    const isBlock =
      node.tagName === "code" && parent?.type === "element" && parent.tagName === "pre";
    if (isBlock) blocks.push(node);
  });
  for (const block of blocks) {
    const language = languageOf(block);
    const lines = await highlight(toString(block).replace(/\n$/, ""), language);
    block.properties = {};
    block.children = lines.flatMap((tokens, index) => lineContent(tokens, index > 0));
  }
}

function lineContent(tokens: readonly CodeToken[], hasLineBefore: boolean): ElementContent[] {
  const content = tokens.map(({ text, className }): ElementContent => {
    const value = { type: "text" as const, value: text };
    if (className === undefined) return value;
    const properties = { className: [className] };
    return { type: "element", tagName: "span", properties, children: [value] };
  });
  if (hasLineBefore) content.unshift({ type: "text", value: "\n" });
  return content;
}

function languageOf({ properties }: Element): string | undefined {
  const classes = Array.isArray(properties["className"]) ? properties["className"] : [];
  return classes.map((name) => /^language-([\w+#-]+)/.exec(name)?.[1]).find(Boolean);
}
