// prose-ignore-file: fiction to reverse
import type { Scene } from "../scene.ts";

export const kitchen: Scene = {
  short: [
    "The {dish} needs salt.",
    "Who ate the {dish}?",
    "{Name} burnt the {dish} again.",
    "Leave the {pan} to soak.",
    "Two more plates, please.",
  ],
  opening: [
    "On {day} {name} cooked {dish} for {count} guests.",
    "The recipe for {dish} came from {name}'s {relative}, who never wrote anything down.",
    "{Name} wanted to make {dish}, but there was no {spice} in the cupboard.",
    "It takes {name} about {minutes} minutes to make {dish}.",
  ],
  middle: [
    "The {pan} was too small, so half of it went into a baking tin.",
    "{They} cut the {vegetable} thin and the {vegetable2} into cubes.",
    "A pinch of {spice} was enough; two pinches would have been a mistake.",
    "The kitchen smelled of {spice} and warm butter.",
    '"Don\'t lift the lid," {they} said, and of course somebody did.',
    "After {minutes} minutes the {vegetable} was soft but the {vegetable2} was not.",
    "There was only one sharp knife, and everybody wanted it.",
    "{They} tasted the sauce, frowned, and added a little more {spice2}.",
  ],
  closing: [
    "By nine o'clock there was nothing left but the {pan}.",
    "The leftovers went to the neighbours upstairs.",
    "{They} promised to write the recipe down, and forgot.",
  ],
  words: {
    dish: [
      "lentil soup",
      "onion tart",
      "fish stew",
      "mushroom risotto",
      "goulash",
      "pea curry",
      "leek pie",
      "noodle salad",
    ],
    vegetable: ["fennel", "celery", "pumpkin", "cabbage", "aubergine", "spinach", "cauliflower"],
    spice: ["cumin", "paprika", "saffron", "nutmeg", "thyme", "coriander", "cinnamon"],
    pan: ["frying pan", "saucepan", "clay pot", "wok", "iron casserole"],
    minutes: ["15", "25", "40", "55", "70"],
    count: ["three", "five", "six", "eleven", "a dozen"],
  },
};

export const workshop: Scene = {
  short: [
    "Measure twice, cut once.",
    "The {tool} is missing.",
    "Mind the {tool}, it is sharp.",
    "Is the glue dry?",
    "{Name} sanded the {furniture}.",
  ],
  opening: [
    "{Name} spent the whole of {day} repairing a {adjective} {furniture}.",
    "The {furniture} had belonged to {name}'s {relative} and wobbled on every floor.",
    "In the shed behind the house {name} keeps a {tool} for every day of the week.",
    "A {furniture} made of {wood} should last a hundred years.",
  ],
  middle: [
    "One leg was {count} millimetres shorter than the others.",
    "The old screws broke as soon as {they} touched them with the {tool}.",
    "{They} replaced the back with a board of {wood}, planed by hand.",
    "{Wood} is heavy, and it splits if you hurry.",
    "The {tool} slipped once and left a mark that nobody else will ever notice.",
    "{They} put on a coat of oil, waited a night, and put on another.",
    "Under the paint there was a second layer, and under that a third, all of them {colour}.",
    "The clamps stayed on until {day2} morning.",
  ],
  closing: [
    "Now it stands by the window and does not wobble at all.",
    "The dust stayed in {their} hair for days.",
    "It was sold before the varnish had dried.",
  ],
  words: {
    furniture: [
      "bookcase",
      "rocking chair",
      "writing desk",
      "kitchen stool",
      "chest of drawers",
      "bench",
      "cradle",
    ],
    tool: ["chisel", "handsaw", "plane", "mallet", "spirit level", "drill", "rasp"],
    wood: ["oak", "ash", "walnut", "larch", "cherry", "beech"],
    adjective: ["battered", "heavy", "narrow", "forgotten", "painted", "three-legged"],
    count: ["two", "three", "four", "seven", "nine"],
    colour: ["green", "blue", "grey", "brown", "white"],
  },
};

export const neighbours: Scene = {
  short: [
    "The {pet} is on the roof.",
    "Have you seen the {pet}?",
    "{Name} moved out on {day}.",
    "Somebody is playing the {instrument}.",
    "Please shut the gate.",
  ],
  opening: [
    "The {pet} on the third floor belongs to nobody and is fed by everybody.",
    "{Name} practises the {instrument} every {day} at {hour} sharp.",
    "When the lift broke down, {name} met the neighbours for the first time.",
    "A parcel for {name} stood in the hall for {count} days.",
  ],
  middle: [
    "The landlord said it would be fixed by {day2}; he did not say which one.",
    'Someone had left a note: "Whose {pet} is this?"',
    "On the stairs it smelled of paint and fried onions.",
    "{Name}'s {relative} knocked on every door to ask for a ladder.",
    "The walls are thin enough to follow the neighbours' card games.",
    "At {hour} the lights in the stairwell go out, whether you are upstairs or not.",
    "{They} lent out {their} only umbrella and never saw it again.",
    "It rained so hard that the cellar stood {count} centimetres under water.",
  ],
  closing: [
    "Since then they greet each other by name.",
    "In the end the {pet} moved in with {name}.",
    "Nobody complained, not even about the {instrument}.",
  ],
  words: {
    pet: ["grey cat", "tortoise", "parrot", "terrier", "rabbit", "old greyhound"],
    instrument: ["trombone", "cello", "accordion", "oboe", "piano", "double bass", "bagpipes"],
    hour: ["half past six", "seven", "ten to eight", "nine", "a quarter to ten"],
    count: ["two", "four", "five", "eight", "twelve"],
  },
};

export const garden: Scene = {
  short: [
    "Water the {plant} tonight.",
    "The {pest} are back.",
    "No frost until {day}.",
    "{Name} planted {plant} by the wall.",
    "Pick the {crop} early.",
  ],
  opening: [
    "This year {name} is growing {crop} instead of {crop2}.",
    "The {plant} came up in the second week of {month}, earlier than ever.",
    "Behind the shed {name} found a row of {crop} that nobody had planted.",
    "Every {day} {name} walks round the garden with a notebook.",
  ],
  middle: [
    "The {pest} ate the first leaves and left the stalks.",
    "A net helps against birds, though not against {pest}.",
    "{They} emptied {count} buckets of compost on the bed and raked it flat.",
    "It had not rained since the end of {month}.",
    "The soil is heavy here: it sticks to the spade when wet and cracks when dry.",
    "Between the rows {they} sowed {plant}, mostly for the bees.",
    "{Count} jars of pickled {crop2} still stand in the cellar from last year.",
    "The hose has a leak, and the leak waters the path.",
  ],
  closing: [
    "Whatever grows too large goes to the goats.",
    "In {month2} they will see whether it was worth it.",
    "{They} wrote it all down, with a drawing.",
  ],
  words: {
    plant: ["marigolds", "sweet peas", "poppies", "lavender", "clover", "foxgloves", "asters"],
    crop: ["beetroot", "runner beans", "courgettes", "radishes", "gherkins", "parsnips", "chard"],
    pest: ["slugs", "snails", "pigeons", "caterpillars", "greenfly", "mice"],
    count: ["three", "six", "eight", "ten", "fifteen"],
  },
};
