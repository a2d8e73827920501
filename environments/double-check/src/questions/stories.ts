import { type QuestionMaker, between } from "../question.ts";
import { rational } from "../rational.ts";

const people = ["Amina", "Boris", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo"] as const;
const goods = ["notebooks", "lanterns", "mugs", "tickets", "postcards", "light bulbs"] as const;

/** Level 3: word problems with two or three steps. */
export const stories: readonly QuestionMaker[] = [
  (random) => {
    const [rows, seats] = [between(random, 9, 36), between(random, 12, 48)];
    const taken = between(random, 20, rows * seats - 5);
    return {
      text: `A hall has ${rows} rows of ${seats} seats each. ${taken} seats are taken. How many seats are free?`,
      answer: rational(rows * seats - taken),
    };
  },
  (random) => {
    const [person, thing] = [random.pick(people), random.pick(goods)];
    const [boxes, each, broken, price] = [
      between(random, 4, 24),
      between(random, 6, 30),
      between(random, 1, 20),
      between(random, 2, 9),
    ];
    return {
      text: `${person} buys ${boxes} boxes of ${each} ${thing}. ${broken} of the ${thing} are damaged and cannot be sold. The others are sold for ${price} euros apiece. How many euros does ${person} take in?`,
      answer: rational((boxes * each - broken) * price),
    };
  },
  (random) => {
    const [speed, hours, more] = [
      between(random, 4, 18) * 5,
      between(random, 2, 9),
      between(random, 11, 95),
    ];
    return {
      text: `A van drives for ${hours} hours at ${speed} kilometres per hour and then another ${more} kilometres. How many kilometres does it drive in all?`,
      answer: rational(speed * hours + more),
    };
  },
  (random) => {
    const [person, other] = [random.pick(people.slice(0, 4)), random.pick(people.slice(4))];
    const [times, small, years] = [
      between(random, 2, 5),
      between(random, 6, 18),
      between(random, 3, 15),
    ];
    return {
      text: `${person} is ${times} times as old as ${other}, who is ${small}. How old will ${person} be in ${years} years?`,
      answer: rational(times * small + years),
    };
  },
  (random) => {
    const [minutes, start, pause] = [
      between(random, 35, 170),
      between(random, 7, 19),
      between(random, 5, 40),
    ];
    return {
      text: `A film of ${minutes} minutes begins at ${start}:00 and is interrupted by a pause of ${pause} minutes. How many minutes after ${start}:00 does it end?`,
      answer: rational(minutes + pause),
    };
  },
  (random) => {
    const [percent, base] = [between(random, 1, 19) * 5, between(random, 2, 45) * 20];
    return {
      text: `Of ${base} bicycles in a town, ${percent} percent have a bell. How many bicycles have no bell?`,
      answer: rational(base * (100 - percent), 100),
    };
  },
];
