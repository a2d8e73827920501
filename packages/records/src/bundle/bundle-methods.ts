import { ConfigError, type Environment, type EnvironmentFactory } from "@envs/core";
import { episode, maxTurnsOf, splitsOf } from "@envs/core/engine";

import { ExampleReaders } from "./example-reader.ts";
import {
  bundleFormat,
  type BundleMethods,
  type DatasetQuery,
  type ExamplePage,
} from "./methods.ts";
import { OpenEpisode } from "./open-episode.ts";
import { replayRollouts } from "./replay-rollouts.ts";

const maxOpenEpisodes = 64;
const maxPage = 100;

/** Creates the methods of an environment's bundle. Deterministic: the same requests have the same results. */
export function bundleMethods(factory: EnvironmentFactory): BundleMethods {
  const readers = new ExampleReaders();
  const episodes = new Map<number, OpenEpisode>();
  let lastEpisode = 0;

  const environmentOf = ({ config }: DatasetQuery): Environment => factory(config);
  const episodeOf = (id: number): OpenEpisode => {
    const open = episodes.get(id);
    if (open !== undefined) return open;
    throw new ConfigError(`There is no open episode ${id}. Start one.`);
  };

  return {
    describe: () => ({ name: factory.definition.name, format: bundleFormat }),

    async examples({ offset = 0, count = 20, hasContent = false, ...query }) {
      const environment = environmentOf(query);
      const reader = readers.of(environment, query);
      const page: ExamplePage["examples"][number][] = [];
      const end = offset + Math.min(count, maxPage);
      for (let index = offset; index < end; index += 1) {
        const found = await reader.at(index);
        if (found === undefined) break;
        const { key, example } = found;
        page.push(hasContent ? { index, key, example } : { index, key });
      }
      const hasMore = page.length === end - offset && (await reader.at(end)) !== undefined;
      return { splits: await splitsOf(environment), examples: page, hasMore };
    },

    async start({ example: reference, maxTurns, seats = [], ...query }) {
      if (episodes.size >= maxOpenEpisodes)
        throw new ConfigError(`${maxOpenEpisodes} episodes are open. Close one first.`);
      const environment = environmentOf(query);
      const { example, key, index } = await readers.find(environment, query, reference);
      const [seat, ...others] = seats;
      const open = new OpenEpisode((player) =>
        episode(environment, example, {
          key,
          seed: query.seed,
          maxTurns,
          seat,
          players: Object.fromEntries(others.map((other) => [other, player])),
          hookTimeout: Infinity,
        }),
      );
      const view = await open.start();
      lastEpisode += 1;
      episodes.set(lastEpisode, open);
      return {
        episode: lastEpisode,
        index,
        key,
        example,
        tools: open.episode.tools,
        maxTurns: Math.min(maxTurnsOf(environment), maxTurns ?? Infinity),
        ...view,
      };
    },

    respond: async ({ episode: id, reply, isTruncated }) =>
      episodeOf(id).respond(reply, isTruncated),

    advise: async ({ episode: id, policy, parameter, seed = 0 }) =>
      episodeOf(id).conversation.askPolicy(policy, seed, parameter),

    score: async ({ episode: id }) => episodeOf(id).episode.score({ skipJudged: true }),

    async close({ episode: id }) {
      const open = episodeOf(id);
      episodes.delete(id);
      await open.episode.close();
      return {};
    },

    async replay({ example: reference, maxTurns, rollouts, ...query }) {
      const environment = environmentOf(query);
      const keyed = await readers.find(environment, query, reference);
      const { seed } = query;
      return { rollouts: await replayRollouts(environment, keyed, { seed, maxTurns, rollouts }) };
    },
  };
}
