/** The concern of a letter. Each concern has ways to say it that share few words, and other letters use the same words. */
export const concerns = ["late", "refund", "damage", "praise", "swap", "cancel"] as const;
export type Concern = (typeof concerns)[number];

export const said: Readonly<Record<Concern, readonly string[]>> = {
  late: [
    "The week you named has come and gone, and my doorstep is still empty.",
    "I have been at the window since Monday for the {item}, and today is Sunday.",
    "By the time the {item} got here, the party it was for was over.",
    "Your van promised us the third; it rang on the nineteenth.",
    "We ate on the floor for ten days more than planned, thanks to your driver.",
    "The tracking page has said 'tomorrow' for as long as I can remember.",
  ],
  refund: [
    "Please put what I paid for the {item} back on my card.",
    "I would like the sum on my receipt to find its way home to my account.",
    "Kindly reverse the charge for the {item}; I have sent it back already.",
    "My bank writes that you still hold my forty crowns, and I want them.",
    "You said that I would not be out of pocket. I still am.",
    "Since the {item} went back to you in March, nothing has been credited here.",
  ],
  damage: [
    "When I lifted the lid, the {item} was in two halves.",
    "There is a dent in the {item} that you could drink soup from.",
    "Half of the glass arrived as sand.",
    "The corner of the {item} is crushed, though the box looked perfect.",
    "It leaks. It has leaked since the minute I unwrapped it.",
    "One leg of the {item} snapped before we had sat on it.",
  ],
  praise: [
    "I feared the worst of the post, and the {item} stood here two days early.",
    "My mother asked who made the {item}, and she never asks.",
    "In thirty years I have not been treated so well by a shop.",
    "My respects to the lady who packed the {item}: she is an artist.",
    "I only write because people write too rarely when everything is right.",
    "The {item} is worth twice what you ask for it.",
  ],
  swap: [
    "I chose the blue {item}, and there is a red one on my table.",
    "A stranger in Graz must be wondering about my {item}, because I have theirs.",
    "The label says {item}. The thing inside is a kettle.",
    "Your parcel is lovely, but it was made for a left-handed person, and I ticked right.",
    "We ordered for six and unpacked for two.",
    "Size 38 stands on the bill and size 44 in my hall.",
  ],
  cancel: [
    "If the {item} has not left your house yet, let it stay there.",
    "My husband had the same idea and was quicker; please strike mine from the list.",
    "We are moving abroad, so the {item} of next month is no longer for us.",
    "Please forget that I ever pressed the button on Tuesday night.",
    "Send nothing, charge nothing: the plan with the {item} is off.",
    "I have changed my mind about the {item} before you could start on it.",
  ],
};

/** Sentences that mention a concern and are not about it. */
export const decoys: readonly string[] = [
  "A neighbour waits for her delivery since spring and got her money back, but that is her story.",
  "No, nothing was broken, late or wrong, before you ask.",
  "I read your page on refunds and cancellations; that is not what this is.",
  "The last shop sent me the wrong thing twice and damaged it both times.",
  "I read that delays are common in winter. I am not writing about delays.",
  "Thank you in advance, and thank you also for the wonderful catalogue.",
  "My cousin cancelled with you once and was pleased with how it went.",
  "A refund is the last thing on my mind today.",
];

export const fillers: readonly string[] = [
  "The weather here has been mild, and the plum tree is in bloom.",
  "I have been a customer since the shop by the harbour opened.",
  "Forgive my handwriting; the table on the train is small.",
  "You can reach me in the evening, after the dog has had his walk.",
  "I keep your letters in a drawer with the seeds.",
  "We have painted the kitchen, which took longer than we thought.",
  "My order number is on the back of this page, I hope.",
  "The children send their regards to the man with the moustache.",
  "It is quiet in the village now that the summer guests have left.",
  "I would have telephoned, but the line is always busy at noon.",
  "There is a market here on Fridays, should you ever come by.",
  "I write with the pen that I bought from you in the year of the flood.",
];

/** Events that one letter of a text has: how the letter puts it, and how the question names it. */
export const needles: readonly { readonly event: string; readonly asked: string }[] = [
  {
    event: "Something purred in the box, and it now sleeps on my radiator.",
    asked: "found an animal in the parcel",
  },
  {
    event: "Between the papers lay a ring that is not mine, with a date engraved in it.",
    asked: "found jewellery that belongs to a stranger",
  },
  {
    event: "Your driver stayed for supper, and we shall be married in June.",
    asked: "will marry an employee of the shop",
  },
  {
    event: "The boys built a raft of the carton and got as far as the second bridge.",
    asked: "let children go on the water with the packaging",
  },
  {
    event: "I used to serve at that counter myself, before my knees gave way.",
    asked: "once worked for the shop",
  },
  {
    event: "The map on your wrapping paper led us to a spring that no hiker here knew.",
    asked: "discovered a place because of the wrapping",
  },
  {
    event: "Where your catalogue shows a meadow, I recognised the house in which I was born.",
    asked: "saw the place of their birth in the catalogue",
  },
  {
    event: "Forgive me: the stamp collector of our street has steamed off all your stamps.",
    asked: "lives near a collector who took the postage off the parcel",
  },
];

export const items: readonly string[] =
  "lamp,chair,teapot,blanket,mirror,bookshelf,clock,vase,rug,desk,stool,cradle".split(",");

export const cities: readonly string[] =
  "Aalborg,Bergen,Cork,Dresden,Elche,Ghent,Lucca,Narva,Porto,Tartu,Utrecht,Zadar".split(",");

export const firstNames: readonly string[] =
  "Ada,Bruno,Clara,Dario,Edda,Felix,Greta,Hugo,Ines,Jonas,Karin,Lorenz,Mara,Nils,Olga,Pavel".split(
    ",",
  );

export const lastNames: readonly string[] =
  "Abel,Brandt,Cordes,Dahl,Ekman,Ferrari,Gruber,Holm,Ivanov,Jansen,Keller,Lind,Moreau,Novak,Oliva,Petrov,Quist,Rossi,Santos,Thorn".split(
    ",",
  );
