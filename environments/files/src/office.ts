import type { Files } from "./files.ts";

/** Draws the content of a folder. */
export interface RandomSource {
  int(bound: number): number;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** An invoice, as its file states it. */
export interface Invoice {
  readonly path: string;
  readonly customer: string;
  readonly year: number;
  readonly cents: number;
}

/** A note of a meeting. No two notes have the same topic. */
export interface Note {
  readonly path: string;
  readonly topic: string;
  readonly phone: string;
}

/** A draft of a report. */
export interface Draft {
  readonly path: string;
  readonly isFinal: boolean;
}

/** The documents of a small company. */
export interface Office {
  readonly files: Files;
  readonly invoices: readonly Invoice[];
  readonly notes: readonly Note[];
  readonly drafts: readonly Draft[];
}

const customers = [
  "Okafor Bakery",
  "Lindqvist Tools",
  "Moreno Bikes",
  "Tanaka Glass",
  "Adeyemi Print",
];
const people = ["Ana", "Bilal", "Chen", "Dora", "Emeka", "Farah"];
const places = ["Lisbon", "Oslo", "Quito", "Nairobi", "Hanoi", "Gdansk", "Lima", "Izmir"];
const topics = [
  "the roof of the warehouse",
  "the new forklift",
  "parking at the harbour",
  "the summer party",
  "the broken kiln",
  "a second delivery van",
  "the insurance of the workshop",
  "winter tyres",
  "the colour of the sign",
  "a course in first aid",
];

/** Writes an office with `size` invoices, about as many notes, and drafts. */
export function createOffice(size: number, random: RandomSource): Office {
  const files: Record<string, string> = {};
  const years = random.shuffle([2021, 2022, 2023, 2024]).slice(0, 2);
  const clients = random.shuffle(customers).slice(0, 3);
  const phones = [0, 1].map(() => `555-${1000 + random.int(9000)}`);
  const firstNumber = 1000 + random.int(8000);

  const invoices = Array.from({ length: size }, (_, index): Invoice => {
    const number = firstNumber + index;
    // Each customer and each year has an invoice.
    const customer = clients[index % clients.length]!;
    const year = years[index % years.length]!;
    const cents = 100 + random.int(99_900);
    const path = `invoices/inv-${number}.txt`;
    const date = `${year}-${twoDigits(1 + random.int(12))}-${twoDigits(1 + random.int(28))}`;
    files[path] =
      `Invoice ${number}\nCustomer: ${customer}\nDate: ${date}\nAmount: ${amount(cents)}\n`;
    return { path, customer, year, cents };
  });
  const notes = random
    .shuffle(topics)
    .slice(0, Math.max(2, Math.min(size, topics.length)))
    .map((topic, index): Note => {
      const phone = phones[index % phones.length]!;
      const path = `notes/meeting-${twoDigits(index + 1)}.md`;
      files[path] =
        `# Meeting ${index + 1}\n\n${random.pick(people)} and ${random.pick(people)} talked about ${topic}.\nQuestions: call ${phone}.\n`;
      return { path, topic, phone };
    });
  const drafts = random
    .shuffle(places)
    .slice(0, 4)
    .map((place, index): Draft => {
      const isFinal = index % 2 === 0;
      const path = `drafts/draft-${place.toLowerCase()}.md`;
      files[path] =
        `Status: ${isFinal ? "final" : "in progress"}\n\nSales in ${place} were ${random.pick(["higher", "lower"])} than expected.\n`;
      return { path, isFinal };
    });
  return { files, invoices, notes, drafts };
}

/** An amount of money with two decimals. */
export function amount(cents: number): string {
  return `${Math.floor(cents / 100)}.${twoDigits(cents % 100)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
