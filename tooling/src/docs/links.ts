import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** The broken links of a document: to a missing file, or to a missing heading. */
export function brokenLinks(file: string, markdown: string): readonly string[] {
  const text = markdown.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, "").replaceAll(/`[^`\n]*`/g, "");
  const targets = [...text.matchAll(/\]\((?<target>[^)\s]+)\)/g)].map(
    ({ groups }) => groups?.["target"] ?? "",
  );
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(file, target));
}

function leadsSomewhere(file: string, target: string): boolean {
  const [path = "", anchor] = target.split("#", 2);
  const found = path === "" ? file : resolve(dirname(file), path);
  if (!existsSync(found)) return false;
  if (anchor === undefined || statSync(found).isDirectory()) return true;
  return anchorsOf(readFileSync(found, "utf8")).includes(anchor);
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (?<heading>.+)$/gm)].map(({ groups }) =>
    (groups?.["heading"] ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-"),
  );
}
