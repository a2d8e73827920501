/** The sentences of a turn, around the board. A part may be empty. */
export interface Wording {
  /** Lines above the board. */
  readonly before: string;
  /** Introduces the numbers of the free positions. If it is empty, the list is missing, too. */
  readonly list: string;
  /** Asks for the move. */
  readonly turn: string;
  /** Follows the question. */
  readonly after: string;
}

/** The wording of the published environment. */
export const standardWording: Wording = {
  before: "",
  list: "Free positions:",
  turn: "It is your turn.",
  after: "",
};

/** Sentences for training; `varied` wordings also contain invented ones. */
export const variedSentences = {
  before: [
    "This is the position:",
    "The game so far:",
    "Look at the board.",
    "Current state:",
    "You are X.",
    "O has played.",
  ],
  list: [
    "Free positions:",
    "Free cells:",
    "Available positions:",
    "You can choose from:",
    "Still empty:",
    "Legal moves:",
    "Not taken yet:",
    "Possible moves:",
  ],
  turn: [
    "It is your turn.",
    "You are next.",
    "Now choose a position.",
    "X moves now.",
    "Please play.",
    "Where do you go?",
    "You are to move.",
    "The next mark is yours.",
  ],
} as const;

/** Words of invented sentences. The others are random letters, as any unknown word is to a model. */
export const fillerWords =
  "the a is are you your my we now then game board think about best next here there with for and or not can do see take make good nice well one two three play player side point very much more time last first".split(
    " ",
  );

/** Wordings that no training uses: the test of a model that knows the game and not only its messages. */
export const heldOutWordings: readonly Wording[] = [
  { ...standardWording, after: " Good luck!" },
  { ...standardWording, turn: "Your move." },
  { ...standardWording, list: "Open squares:", turn: "What will you play?" },
  { ...standardWording, before: "Here is the board:\n\n", turn: "Go ahead." },
  { ...standardWording, list: "Unoccupied:", turn: "It is X's turn." },
  { ...standardWording, list: "", turn: "Choose any free position." },
  {
    before: "Another round begins.\n",
    list: "These numbers remain:",
    turn: "Which one is yours?",
    after: "",
  },
  {
    ...standardWording,
    turn: "Think carefully about every row, because your opponent never sleeps. It is your turn.",
  },
  { before: "", list: "Freie Felder:", turn: "Du bist am Zug.", after: " Viel Erfolg!" },
  {
    before: "Hello again, X!\n",
    list: "Remaining fields:",
    turn: "Place your mark, please,",
    after: " and take your time.",
  },
];

/** How the board is drawn: what separates two cells, and two rows. */
export interface Drawing {
  readonly cells: string;
  readonly rows: string;
}

/** The drawing of the published environment. */
export const standardDrawing: Drawing = { cells: " | ", rows: "\n---------\n" };

/** Drawings for training, beside invented separators. */
export const variedDrawings: readonly Drawing[] = [
  standardDrawing,
  { cells: "|", rows: "\n-+-+-\n" },
  { cells: " ", rows: "\n" },
  { cells: " / ", rows: "\n=========\n" },
];

/** Characters of invented separators. */
export const fillerMarks = Array.from("|/\\-+=_*#~<>()");

/** Drawings that no training uses. */
export const heldOutDrawings: readonly Drawing[] = [
  { cells: " : ", rows: "\n\n" },
  { cells: "   ", rows: "\n" },
  { cells: " || ", rows: "\n===+===+===\n" },
];
