// prose-ignore-file: fiction to reverse
import type { Scene } from "../scene.ts";

export const harbour: Scene = {
  short: [
    "The {boat} is late.",
    "No {fish} today.",
    "Fog until {hour}.",
    "Coil the rope properly.",
    "{Name} paints the hull {colour}.",
  ],
  opening: [
    "The {boat} left the harbour at {hour} with {count} crates of ice on board.",
    "{Name} has repaired nets here for {years} years.",
    "Before dawn the quay belongs to the gulls and to {name}.",
    "A storm on {day} tore the {boat} from its mooring.",
  ],
  middle: [
    "The tide was against them, and the wind came from the north-west.",
    "They had hoped for {fish} but came back with {fish2}.",
    "Diesel costs more every year, while a kilo of {fish} costs the same.",
    "On the radio a calm voice read the forecast: rain later, good visibility.",
    "{They} can tell the weight of a box by the sound it makes on the stones.",
    "The new lighthouse is {colour}; the old one is a café.",
    "Somewhere out in the fog a bell rang {count} times.",
    "The harbour master counted the masts and found one too few.",
  ],
  closing: [
    "At {hour2} the last lamp on the pier went out.",
    "Nobody was hurt, and only the paint was lost.",
    "Tomorrow they will try again further out.",
  ],
  words: {
    boat: ["ferry", "trawler", "pilot boat", "schooner", "tugboat", "dinghy"],
    fish: ["mackerel", "herring", "cod", "sole", "whiting", "haddock"],
    hour: ["four o'clock", "half past five", "noon", "a quarter past three", "six", "midnight"],
    colour: ["red", "white", "black", "blue", "yellow"],
    count: ["three", "seven", "twenty", "thirty", "forty"],
    years: ["nine", "twelve", "twenty-six", "thirty-one", "forty"],
  },
};

export const mountain: Scene = {
  short: [
    "The {hut} is closed.",
    "Turn back before {hour}.",
    "{Name} lost a glove.",
    "Snow down to {height} metres.",
    "Which way to the pass?",
  ],
  opening: [
    "{Name} reached the {hut} at {hour}, wet to the skin.",
    "The path climbs {height} metres through {forest} before it comes out on the ridge.",
    "There are two ways to the pass, and the guidebook recommends neither.",
    "On {day} the cloud lifted for the first time in {count} days.",
  ],
  middle: [
    "Above the {forest} there is no water until the spring at {height} metres.",
    "A chain bolted to the rock helps over the steepest part.",
    "The bridge had been washed away, so {they} took off {their} boots and waded.",
    "Marmots whistled from somewhere among the boulders.",
    "{They} had packed {food} and, by mistake, two left mittens.",
    "From the cairn you see {count} lakes, or nothing at all.",
    "The warden of the {hut} made tea and asked no questions.",
    "Far below a train crept through the valley like a caterpillar.",
  ],
  closing: [
    "The descent took longer than the climb.",
    "They agreed to come back in {month}, with better shoes.",
    "That evening {they} slept before the soup was served.",
  ],
  words: {
    hut: ["upper hut", "shelter", "chapel", "cable car", "old customs house"],
    forest: ["larch forest", "birch scrub", "dense spruce", "beech woods", "juniper"],
    height: ["600", "850", "1,200", "1,750", "2,300"],
    hour: ["two", "half past four", "dusk", "noon", "five o'clock"],
    food: [
      "bread and hard cheese",
      "dried apricots",
      "cold dumplings",
      "a whole cake",
      "eleven boiled eggs",
    ],
    count: ["three", "four", "six", "nine"],
  },
};

export const weather: Scene = {
  short: [
    "Rain again on {day}.",
    "It snowed in {month}!",
    "The {river} is rising.",
    "What a wind!",
    "Warm for {month}, isn't it?",
  ],
  opening: [
    "It was the wettest {month} since the measurements began in {year}.",
    "On {day} a hailstorm passed over the town and was gone in {count} minutes.",
    "The {river} froze over in {month}, for the first time since {year}.",
    "Nobody in the valley remembers a summer as dry as that of {year}.",
  ],
  middle: [
    "The gauge behind the school showed {count} millimetres by noon.",
    "Farmers brought the hay in early and were glad of it.",
    "The wind took {count} tiles off the roof of the town hall.",
    "A rainbow stood over the gasworks, and for a moment people stopped walking.",
    "Children skated under the bridge, although there were signs against it.",
    "The buses ran late, then not at all.",
    "At night you could hear the {river} from the railway station.",
    "{Name} wrote down the temperature every hour, as {they} had done since {year}.",
  ],
  closing: [
    "By {day2} the sky was as blue as if nothing had happened.",
    "The forecast for the coming week is more of the same.",
    "It will be talked about for years.",
  ],
  words: {
    river: ["river", "canal", "mill stream", "lake"],
    year: ["1893", "1911", "1947", "1963", "1976", "1984", "2003"],
    count: ["nine", "twelve", "seventeen", "thirty", "forty-four", "sixty"],
  },
};

export const nightSky: Scene = {
  short: [
    "{Planet} is rising.",
    "The dome is stuck.",
    "Too much moonlight tonight.",
    "{Name} saw a comet.",
    "Switch off the torch!",
  ],
  opening: [
    "{Planet} stands low in the {direction} this {month}, a little to the left of the church tower.",
    "{Name} built a telescope out of {material} and a shaving mirror.",
    "On clear nights the observatory opens its doors to anyone who brings a coat.",
    "{Name} has been counting meteors since {month}.",
  ],
  middle: [
    "With bare eyes you see a point; with the telescope, a tiny disc.",
    "The light left that star {count} years ago.",
    "It takes about {minutes} minutes until your eyes are used to the dark.",
    "Somebody asked whether {planet} could be reached by aeroplane.",
    "Clouds came up from the {direction}, and there was nothing to do but drink cocoa.",
    "{They} noted {count} shooting stars before midnight and two after it.",
    "The street lamps below spoil the view, except when they fail.",
    "A satellite crossed the field of view in less than {minutes2} seconds.",
  ],
  closing: [
    "They locked the dome at three in the morning.",
    "The drawing {they} made that night hangs above the stairs.",
    "Next month it will have moved on, and so will the visitors.",
  ],
  words: {
    planet: ["Venus", "Jupiter", "Saturn", "Mars", "Mercury"],
    direction: ["west", "east", "south", "south-east"],
    material: ["a drainpipe", "cardboard", "plywood", "an old stovepipe"],
    count: ["11", "37", "52", "87", "430"],
    minutes: ["5", "10", "20", "30"],
  },
};
