import type { Row } from "./row.ts";

/** The ranges and lists from which a story draws its numbers and names. */
export interface RandomSource {
  int(bound: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

type Story = (random: RandomSource) => Row;

const people = ["Aisha", "Bruno", "Chen", "Dara", "Emeka", "Freya", "Goran", "Hana", "Ivo", "Jun"];
const goods = ["pears", "marbles", "stickers", "buttons", "candles", "seedlings", "postcards"];
const works = ["knits a scarf", "paints a chair", "bakes a loaf", "binds a book", "folds a lamp"];

const between = (random: RandomSource, min: number, max: number): number =>
  min + random.int(max - min + 1);

/** A calculation as the dataset notes it: `6*7=<<6*7=42>>42`. */
const worked = (expression: string, value: number): string =>
  `${expression}=<<${expression}=${value}>>${value}`;

/** Word problems of two to four steps, written for this environment. */
export const stories: readonly Story[] = [
  (random) => {
    const [person, thing] = [random.pick(people), random.pick(goods)];
    const [boxes, each, given] = [
      between(random, 3, 12),
      between(random, 8, 30),
      between(random, 4, 20),
    ];
    const all = boxes * each;
    return {
      question: `${person} fills ${boxes} boxes with ${each} ${thing} each and gives ${given} ${thing} to a neighbour. How many ${thing} does ${person} have left?`,
      answer: `The boxes hold ${worked(`${boxes}*${each}`, all)} ${thing}.\nAfter the gift, ${person} has ${worked(`${all}-${given}`, all - given)} ${thing}.\n#### ${all - given}`,
    };
  },
  (random) => {
    const [person, work] = [random.pick(people), random.pick(works)];
    const [minutes, count, pause] = [
      between(random, 12, 45),
      between(random, 3, 9),
      between(random, 5, 15),
    ];
    const [busy, idle] = [minutes * count, pause * (count - 1)];
    return {
      question: `Each time ${person} ${work}, it takes ${minutes} minutes. ${person} does it ${count} times in a row and pauses for ${pause} minutes between two of them. How many minutes does all of it take?`,
      answer: `The work takes ${worked(`${minutes}*${count}`, busy)} minutes.\nThere are ${worked(`${count}-1`, count - 1)} pauses, which take ${worked(`${pause}*${count - 1}`, idle)} minutes.\nTogether it takes ${worked(`${busy}+${idle}`, busy + idle)} minutes.\n#### ${busy + idle}`,
    };
  },
  (random) => {
    const [person, thing] = [random.pick(people), random.pick(goods)];
    const [price, count, percent] = [
      between(random, 2, 9) * 10,
      between(random, 2, 8),
      random.pick([10, 20, 30, 50]),
    ];
    const full = price * count;
    const off = (full * percent) / 100;
    return {
      question: `A crate of ${thing} costs $${price}. ${person} buys ${count} crates and gets ${percent}% off the whole price. How many dollars does ${person} pay?`,
      answer: `Without the discount, the crates cost $${worked(`${price}*${count}`, full)}.\nThe discount is $${worked(`${full}*${percent}/100`, off)}.\n${person} pays $${worked(`${full}-${off}`, full - off)}.\n#### ${full - off}`,
    };
  },
  (random) => {
    const [person, other] = [random.pick(people.slice(0, 5)), random.pick(people.slice(5))];
    const [age, times, years] = [
      between(random, 5, 14),
      between(random, 2, 5),
      between(random, 3, 12),
    ];
    const [now, later] = [age * times, age * times + years];
    const sum = later + age + years;
    return {
      question: `${other} is ${age} years old, and ${person} is ${times} times as old. What will be the sum of their ages in ${years} years?`,
      answer: `${person} is ${worked(`${age}*${times}`, now)} years old.\nIn ${years} years, ${person} will be ${worked(`${now}+${years}`, later)} and ${other} will be ${worked(`${age}+${years}`, age + years)}.\nThe sum is ${worked(`${later}+${age + years}`, sum)}.\n#### ${sum}`,
    };
  },
  (random) => {
    const person = random.pick(people);
    const [speed, hours, slower] = [
      between(random, 6, 15) * 4,
      between(random, 2, 5),
      between(random, 2, 4),
    ];
    const [there, half] = [speed * hours, speed / 2];
    const total = there + half * slower;
    return {
      question: `${person} drives for ${hours} hours at ${speed} miles per hour. Then it rains, and ${person} drives for ${slower} hours at half that speed. How many miles does ${person} drive?`,
      answer: `Before the rain, ${person} drives ${worked(`${speed}*${hours}`, there)} miles.\nHalf the speed is ${worked(`${speed}/2`, half)} miles per hour.\nIn the rain, ${person} drives ${worked(`${half}*${slower}`, half * slower)} miles.\nIn total that is ${worked(`${there}+${half * slower}`, total)} miles.\n#### ${total}`,
    };
  },
  (random) => {
    const [person, thing] = [random.pick(people), random.pick(goods)];
    const [friends, each] = [between(random, 3, 9), between(random, 6, 25)];
    const spare = between(random, 1, friends - 1);
    const all = friends * each + spare;
    return {
      question: `${person} has ${all} ${thing} and gives ${friends} friends the same number each, as many as possible. ${spare} ${thing} are left. How many ${thing} does each friend get?`,
      answer: `${person} gives away ${worked(`${all}-${spare}`, all - spare)} ${thing}.\nEach friend gets ${worked(`${all - spare}/${friends}`, each)} ${thing}.\n#### ${each}`,
    };
  },
];
