// prose-ignore-file: fiction to reverse
import type { Scene } from "../scene.ts";

export const railway: Scene = {
  short: [
    "Mind the gap.",
    "Change at {station}.",
    "Platform {number}, not {number2}.",
    "The {hour} train is cancelled.",
    "{Name} missed the train.",
  ],
  opening: [
    "The {hour} train to {station} leaves from platform {number}.",
    "{Name} fell asleep on the train and woke up in {station}.",
    "Between {station} and {station2} the line follows the river for {number} kilometres.",
    "For {number} years {name} has sold newspapers at the station.",
  ],
  middle: [
    "A voice apologised for the delay and wished everybody a pleasant evening.",
    "The carriage was full of {cargo}, and it smelled like it.",
    "{They} had a seat by the window, facing backwards.",
    "Nobody knew why they had stopped; {number} minutes later nobody knew why they went on.",
    "The guard punched the ticket without looking at it.",
    "At {station2} a whole brass band got on.",
    "You can change for the coast there, but only on {day} and {day2}.",
    "Across the aisle a boy was reading aloud from a book about {cargo}.",
  ],
  closing: [
    "They arrived at {hour2}, on time by some miracle.",
    "The station café was closed, as always.",
    "{Name} bought a return ticket and never used it.",
  ],
  words: {
    station: [
      "Oakham Junction",
      "Port Merrow",
      "Saint Alda",
      "Quarry Hill",
      "Upper Venn",
      "Zellbrook",
      "Exley",
    ],
    hour: ["6:15", "7:48", "9:02", "12:30", "16:57", "21:40"],
    number: ["2", "3", "4", "9", "14", "23"],
    cargo: [
      "potatoes",
      "bicycles",
      "school classes",
      "racing pigeons",
      "walking sticks",
      "orange crates",
    ],
  },
};

export const market: Scene = {
  short: [
    "Three {fruit} for a coin.",
    "Fresh {fruit}, ladies and gentlemen!",
    "The {stall} opens at six.",
    "{Name} never haggles.",
    "Sold out by noon.",
  ],
  opening: [
    "{Name} sells {fruit} at the corner of the market, next to the {stall}.",
    "On {day} the market moves to the square behind the {building}.",
    "The price of {fruit} doubled between {month} and {month2}.",
    "If you come after eleven, the best {fruit} are gone.",
  ],
  middle: [
    "The scales are older than the {building} and just as crooked.",
    "An old man bought a single one of the {fruit} and paid with a large note.",
    'At the {stall} you have to know the password, which is "please".',
    "{They} gave away the bruised ones, {count} at a time.",
    "A dog ran off with a string of sausages, exactly as in the films.",
    "There were {fruit} from the south, {fruit2} from the hills, and wasps on both.",
    "The rent for a table went up by {count} per cent in {month}.",
    "{Name}'s {relative} kept the accounts in a green exercise book.",
  ],
  closing: [
    "By one o'clock the square was empty and smelled of oranges.",
    "What was not sold became jam.",
    "They packed the van in the rain.",
  ],
  words: {
    fruit: ["quinces", "plums", "figs", "apricots", "gooseberries", "pears", "blackcurrants"],
    stall: ["cheese stall", "knife stand", "flower stall", "bakery van", "egg stand"],
    building: ["town hall", "cathedral", "fire station", "library", "cinema"],
    count: ["two", "four", "five", "six", "eight"],
  },
};

export const school: Scene = {
  short: [
    "{Subject} is at nine.",
    "Open your books at page {number}.",
    "The chalk broke.",
    "Who knows the answer?",
    "{Name} passed in {subject}!",
  ],
  opening: [
    "{Name} teaches {subject} in a classroom that used to be a gymnasium.",
    "In the {subject} lesson on {day} the projector caught fire.",
    "Only {number} pupils chose {subject} this year.",
    "The class went to see the {exhibit} and came back with {number} questions.",
  ],
  middle: [
    "The answer was on page {number}, in small print.",
    "A wasp flew in through the window, and that was the end of {subject}.",
    '{They} asked the class to explain a lever without using the word "force".',
    "Somebody at the back had drawn the {exhibit} on the desk, and rather well.",
    "The bell rings twice: once for the pupils and once for the teachers.",
    "For homework they were to measure the height of a tree without climbing it.",
    "Ten minutes is not enough to explain zero.",
    'The caretaker keeps the lost property in a cupboard marked "{subject2}".',
  ],
  closing: [
    "The test is on {day2}, and it counts.",
    "Nobody failed, which surprised everybody but {name}.",
    "The {exhibit} can be visited until {month}.",
  ],
  words: {
    subject: ["physics", "geography", "Latin", "music", "chemistry", "history", "algebra"],
    exhibit: [
      "steam engine",
      "skeleton",
      "pendulum",
      "relief map",
      "weaving loom",
      "stuffed walrus",
    ],
    number: ["7", "12", "19", "24", "48", "103"],
  },
};

export const library: Scene = {
  short: [
    "Quiet, please.",
    "The {book} is out on loan.",
    "Return it by {day}.",
    "{Name} lost page {number}.",
    "Read this one first.",
  ],
  opening: [
    "{Name} borrowed the {book} in {month} and returned it {number} years later.",
    "The library of {town} owns {number} copies of the same {book}.",
    "Between the pages of a {book} {name} found a {bookmark}.",
    "The reading room is open from {day} to {day2}, except when it rains through the roof.",
  ],
  middle: [
    "Someone had corrected every spelling mistake in pencil, and two words that were right.",
    "The fine would have bought the {book} {number} times over.",
    "A {bookmark} marked the place where the last reader had given up.",
    "{They} asked for something short with a happy ending.",
    "The catalogue lists it under J, for reasons that nobody remembers.",
    "On the top shelf stand the books that only {name} can reach.",
    "The map of {town} in it is wrong, but beautiful.",
    "At closing time the lamps go out one row after another.",
  ],
  closing: [
    "It now stands in a glass case by the entrance.",
    "{Name} has not returned a book late since.",
    "The last chapter is still missing.",
  ],
  words: {
    book: [
      "road atlas",
      "cookery book",
      "history of clocks",
      "novel about the sea",
      "dictionary",
      "guide to mosses",
      "book of riddles",
    ],
    bookmark: [
      "tram ticket",
      "pressed leaf",
      "postcard",
      "shopping list",
      "bank note",
      "playing card",
    ],
    town: ["Port Merrow", "Exley", "Saint Alda", "Upper Venn"],
    number: ["3", "6", "11", "17", "20", "41"],
  },
};
