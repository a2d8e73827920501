import type { Random } from "@envs/core";

/** A fact of a report, and the words by which a summary covers it. */
export interface Fact {
  readonly sentence: string;
  /** A summary that contains each of these words states the fact. */
  readonly words: readonly string[];
}

/** A report about one day in a town: what happened, and details that a summary omits. */
export interface Report {
  readonly text: string;
  /** The events, in order. */
  readonly facts: readonly Fact[];
}

const places = [
  "the library",
  "the swimming pool",
  "the town hall",
  "the bus station",
  "the museum",
];
const people = ["Ines Falk", "Omar Reed", "Yuki Brandt", "Lena Novak", "Pavel Sorin", "Ada Quill"];
const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const causes = [
  "a burst pipe",
  "a power cut",
  "a fallen tree",
  "a broken boiler",
  "a flooded cellar",
];
const helpers = ["volunteers", "firefighters", "students", "neighbours", "electricians"];
const events = [
  "a concert",
  "a chess tournament",
  "a reading",
  "a swimming lesson",
  "a flea market",
];
const details = [
  "The weather was mild for the season.",
  "A red umbrella stood at the entrance.",
  "A dog slept beside the door all morning.",
  "The coffee machine in the hall worked throughout.",
  "A poster from last summer still hung on the wall.",
  "Two pigeons watched from the roof.",
  "The clock above the door was four minutes slow.",
];

/** Writes a report from facts that `random` draws, so that each summary can be checked against them. */
export function report(random: Random): Report {
  const place = random.pick(places);
  const [manager, mayor] = two(people, random);
  const [day, reopening] = two(days, random);
  const cause = random.pick(causes);
  const helper = random.pick(helpers);
  const event = random.pick(events);
  const hours = 2 + random.int(9);
  const cost = 100 * (12 + random.int(80));
  const name = place.replace("the ", "");
  const facts: readonly Fact[] = [
    {
      sentence: `On ${day}, ${cause} closed ${place} for ${hours} hours.`,
      words: [name, last(cause)],
    },
    {
      sentence: `${manager}, who manages ${place}, said that ${helper} had carried everything of value outside.`,
      words: [helper],
    },
    { sentence: `Because of it, ${event} was cancelled.`, words: [last(event), "cancelled"] },
    { sentence: `The repair costs ${cost} euros, ${mayor} announced.`, words: [`${cost}`] },
    { sentence: `The building opens again on ${reopening}.`, words: [reopening] },
  ];
  const [first, second] = two(details, random);
  const sentences = facts.map(({ sentence }) => sentence);
  sentences.splice(1 + random.int(3), 0, first);
  sentences.splice(2 + random.int(4), 0, second);
  return { text: sentences.join(" "), facts };
}

/** Draws two different texts. */
function two(texts: readonly string[], random: Random): readonly [string, string] {
  const first = random.pick(texts);
  return [first, random.pick(texts.filter((text) => text !== first))];
}

function last(phrase: string): string {
  return phrase.split(" ").at(-1)!;
}
