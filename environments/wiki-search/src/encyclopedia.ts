import { type Article, writeArticle } from "./article.ts";
import type { Entity } from "./entity.ts";
import { slug } from "./fold.ts";
import { searchIndex } from "./search-index.ts";
import { readSources } from "./sources.ts";
import { buildWorld, entities, type World } from "./world.ts";

/** The articles, and their search index, which the first search builds. */
export interface Encyclopedia {
  readonly world: World;
  readonly ids: readonly string[];
  /** At most `limit` articles: first the one whose title is the query, then the others by rank. */
  search(query: string, limit: number): readonly Article[];
  article(id: string): Article | undefined;
}

let built: Encyclopedia | undefined;

/** The encyclopedia of this process. The first call builds it, in about half a second. */
export function encyclopedia(): Encyclopedia {
  return (built ??= build());
}

function build(): Encyclopedia {
  const world = buildWorld(readSources());
  const byId = new Map(entities(world).map((entity) => [entity.id, entity]));
  let ranked: ReturnType<typeof searchIndex> | undefined;
  const index = () =>
    searchIndex(
      byId.values().map((entity) => ({ id: entity.id, title: entity.title, text: textOf(entity) })),
    );
  const article = (id: string): Article | undefined => {
    const entity = byId.get(id);
    return entity && writeArticle(entity);
  };
  return {
    world,
    ids: [...byId.keys()],
    article,
    search: (query, limit) => {
      ranked ??= index();
      const ids = new Set([slug(query), ...ranked(query).slice(0, limit)]);
      return [...ids].flatMap((id) => article(id) ?? []).slice(0, limit);
    },
  };
}

/** The text to index. For cities only region and country: writing 24,000 articles would dominate the build time. */
function textOf(entity: Entity): string {
  if (entity.kind === "city") return `${entity.region?.name ?? ""} ${entity.country.name}`;
  if (entity.kind === "region") return entity.country.name;
  const { lead, sections } = writeArticle(entity);
  return [lead, ...sections.values()].join("\n");
}
