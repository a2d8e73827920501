import { random, type Random } from "@envs/core";
import type { EnvironmentManifest } from "@envs/hub-client";
import type { Hub } from "@envs/hub-server/src/platform/hub/hub.ts";
import { entryOf } from "@envs/hub-server/src/search/entry.ts";
import { learnSpelling } from "@envs/hub-server/src/search/spelling.ts";

const rowsAtOnce = 200;
const kinds = ["single-turn", "multi-turn", "tools"] as const;

/**
 * Fills a hub with environments of one version each, as publishing leaves them, in seconds. The same number gives the
 * same packages: names of two words and a number, eight owners, and READMEs in which few words are frequent and most are rare.
 */
export async function fillHub(hub: Hub, count: number): Promise<readonly string[]> {
  const draw = random("fill");
  const owners = await makeOwners(hub);
  const names: string[] = [];
  await hub.connection.execute("alter index search_entries_text set (fastupdate = on)");
  for (let first = 0; first < count; first += rowsAtOnce) {
    const batch = Array.from({ length: Math.min(rowsAtOnce, count - first) }, (_, index) =>
      invent(draw.for(first + index), { number: first + index, owners }),
    );
    await insert(hub, batch);
    names.push(...batch.map(({ name }) => name));
  }
  await hub.connection.execute("alter index search_entries_text set (fastupdate = off)");
  await hub.connection.execute("select gin_clean_pending_list('search_entries_text')");
  await hub.connection.execute("analyze");
  return names;
}

type Invention = ReturnType<typeof invent>;

function invent(
  draw: Random,
  { number, owners }: { readonly number: number; readonly owners: readonly Owner[] },
) {
  const owner = draw.pick(owners);
  const bare = `${draw.pick(adjectives)}-${draw.pick(nouns)}-${number}`;
  const name = `@${owner.name}/${bare}`;
  const description = `${capital(draw.pick(verbs))} ${prose(draw, 4 + draw.int(8))}.`;
  const environment: EnvironmentManifest = {
    schema: 1,
    name: bare,
    description,
    package: { name, version: "1.0.0" },
    tags: several(draw, topics),
    kind: draw.pick(kinds),
    config: { type: "object", properties: {} },
    scores: several(draw, scores).map((score) => ({ name: score, weight: 1, isGroup: false })),
    tools: several(draw, tools).map((tool) => ({
      name: tool,
      description: prose(draw, 6),
      input: {},
    })),
    splits: [{ name: "train", size: 100 }],
    policies: [],
    maxTurns: 8,
    example: { messages: [{ role: "user", content: prose(draw, 30) }] },
    core: "0.1.0",
    runtimes: ["node"],
    contentHash: `sha256-${"0".repeat(64)}`,
  };
  const readme = `# ${bare}\n\n${Array.from({ length: 8 }, () => `${prose(draw, 20 + draw.int(40))}.`).join("\n\n")}\n`;
  const packageJson = {
    name,
    version: "1.0.0",
    description,
    keywords: several(draw, topics),
    license: "MIT",
    dependencies: { "@envs/core": "^0.1.0", zod: "^4.0.0" },
  };
  const downloads = Math.floor(10 ** (draw.next() * 5));
  return { name, owner, environment, readme, packageJson, downloads, ago: draw.int(700) };
}

type Owner = { readonly id: number; readonly name: string };

async function makeOwners({ database, clock }: Hub): Promise<readonly Owner[]> {
  const names = ["ada", "alan", "barbara", "claude", "edsger", "grace", "john", "katherine"];
  const created_at = clock();
  return await database
    .insertInto("accounts")
    .values(names.map((name) => ({ name, kind: "organisation", created_at })))
    .returning(["id", "name"])
    .execute();
}

async function insert({ database, clock }: Hub, batch: readonly Invention[]): Promise<void> {
  const now = clock();
  const at = ({ ago }: Invention): Date => new Date(now.getTime() - ago * 86_400_000);
  await database.transaction().execute(async (transaction) => {
    const packages = await transaction
      .insertInto("packages")
      .values(
        batch.map((each) => ({
          name: each.name,
          scope: each.owner.name,
          owner_id: each.owner.id,
          created_at: at(each),
          modified_at: at(each),
        })),
      )
      .returning("id")
      .execute();
    const rows = batch.map((each, index) => ({ ...each, package_id: packages[index]!.id }));
    const versions = await transaction
      .insertInto("versions")
      .values(
        rows.map((each) => ({
          package_id: each.package_id,
          version: "1.0.0",
          manifest: JSON.stringify(each.packageJson),
          readme: each.readme,
          readme_file: "README.md",
          shasum: "0".repeat(40),
          integrity: `sha512-${"A".repeat(86)}==`,
          blob: "0".repeat(128),
          size: 4096,
          unpacked_size: 16_384,
          file_count: 8,
          signatures: "[]",
          published_at: at(each),
        })),
      )
      .returning("id")
      .execute();
    const filled = rows.map((each, index) => ({ ...each, version_id: versions[index]!.id }));
    await transaction
      .insertInto("dist_tags")
      .values(filled.map((each) => ({ ...idsOf(each), tag: "latest" })))
      .execute();
    await transaction
      .insertInto("environments")
      .values(
        filled.map(({ version_id, environment }) => ({
          version_id,
          manifest: JSON.stringify(environment),
        })),
      )
      .execute();
    const entries = filled.map((each) => ({
      ...each,
      ...entryOf({
        ...each,
        owner: each.owner.name,
        access: "public",
        archived_at: null,
        deprecated: null,
        published_at: at(each),
      }),
    }));
    await transaction
      .insertInto("search_entries")
      .values(entries.map(({ row, package_id, downloads }) => ({ ...row, package_id, downloads })))
      .execute();
    await learnSpelling(transaction, [...new Set(entries.flatMap(({ spelling }) => spelling))]);
  });
}

function idsOf({ package_id, version_id }: { package_id: number; version_id: number }) {
  return { package_id, version_id };
}

function several(draw: Random, from: readonly string[]): string[] {
  return [...new Set(Array.from({ length: 1 + draw.int(4) }, () => frequent(draw, from)))];
}

function prose(draw: Random, words: number): string {
  return Array.from({ length: words }, () => frequent(draw, vocabulary)).join(" ");
}

/** Early ones often, late ones seldom, as words are in texts. */
function frequent(draw: Random, from: readonly string[]): string {
  return from[Math.floor(from.length * draw.next() ** 3)]!;
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

const split = (words: string): readonly string[] => words.trim().split(/\s+/);

const adjectives = split(`
  brisk calm clever deep double early exact fast fuzzy gentle giant greedy hidden honest large lazy little long lost
  lucky mixed narrow noisy odd patient plain quick quiet random rapid remote sharp short silent simple sparse strict
  subtle tiny twisted vast wild`);
const nouns = split(`
  alphabet arithmetic auction backgammon battleship blackjack bridge calendar checkers chess chords cipher clock code
  compiler connect countdown crossword database debate desktop dice diplomacy dungeon elevator equation factory ferry
  geometry gomoku graph grid hangman hanoi jigsaw kitchen knapsack labyrinth ledger library logic lottery mahjong market
  mastermind maze memory minesweeper molecule negotiation nim orchard othello palindrome parser pathfinder poker proof
  puzzle quiz rearrange recipe regex reverse riddle robot router sandbox scheduler scrabble sokoban solitaire sorting
  spelling spreadsheet sudoku summary syntax telescope tetris theorem tictactoe timetable translator trivia tutor wiki
  wordle workshop`);
const verbs = split(`
  play solve guess sort find translate prove plan write count compare answer explain reverse repair search build`);
const topics = split(`
  game math reasoning code language board puzzle tools single-player two-player planning search retrieval strings logic
  arithmetic text science memory agents web negotiation economics cards music chess geometry algebra spelling writing
  safety robotics biology chemistry physics law history medicine finance translation summarisation dialogue vision`);
const scores = split(`
  correct format win progress length accuracy efficiency legal-moves similarity style steps brevity`);
const tools = split(`
  search read write calculator python browser move hint submit list open shell query`);

const syllables = split(
  `ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za bri cla dre`,
);
const common = split(`
  the model plays against an opponent and must answer within few turns each move is checked by rules that the
  environment holds reward depends on how well it does in every episode config option sets difficulty example
  rollout dataset evaluation train player state prompt question test value number letter word line page list`);
const rare = [
  ...verbs,
  ...topics,
  ...nouns,
  ...tools,
  ...scores,
  ...adjectives,
  ...Array.from({ length: 10_000 }, (_, index) =>
    [index % 24, Math.floor(index / 24) % 24, Math.floor(index / 576) % 24, (index * 7) % 24]
      .map((at) => syllables[at])
      .join(""),
  ),
];
/** What every README says, then what few say: among them what an environment is about. */
const vocabulary: readonly string[] = [...common, ...random("vocabulary").shuffle(rare)];
