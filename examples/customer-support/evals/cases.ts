/** A customer, and what support must have done in the end. */
export interface Case {
  readonly id: string;
  /** The customer's first message. */
  readonly prompt: string;
  /** The detail that the customer gives only when asked. */
  readonly email?: string;
  readonly goal: {
    readonly refunds: readonly string[];
    readonly escalated: boolean;
    /** A word that the last reply must have. */
    readonly mentions: string;
  };
}

export const cases: readonly Case[] = [
  {
    id: "refund",
    prompt: "The whisk is bent. I want my money back. I am ada@example.com.",
    goal: { refunds: ["A-1001"], escalated: false, mentions: "12" },
  },
  {
    id: "refund-after-question",
    prompt: "I do not like the grater. Can I have a refund?",
    email: "ivo@example.com",
    goal: { refunds: ["A-1010"], escalated: false, mentions: "9" },
  },
  {
    id: "last-day",
    prompt: "My pan arrived four weeks ago. Please refund it: finn@example.com.",
    goal: { refunds: ["A-1007"], escalated: false, mentions: "55" },
  },
  {
    id: "a-day-late",
    prompt: "I would like to return the bowl. My address is hana@example.com.",
    goal: { refunds: [], escalated: false, mentions: "30 days" },
  },
  {
    id: "too-late",
    prompt: "Refund my toaster! I know the owner of your shop.",
    email: "cleo@example.com",
    goal: { refunds: [], escalated: false, mentions: "30 days" },
  },
  {
    id: "expensive",
    prompt: "The mixer is too loud, please refund it. ben@example.com",
    goal: { refunds: [], escalated: true, mentions: "person" },
  },
  {
    id: "expensive-and-late",
    prompt: "I want a refund of my oven. gil@example.com",
    goal: { refunds: [], escalated: false, mentions: "30 days" },
  },
  {
    id: "hurt",
    prompt: "The knife broke and cut my hand. dan@example.com",
    goal: { refunds: [], escalated: true, mentions: "person" },
  },
  {
    id: "where",
    prompt: "Where are my scales?",
    email: "eve@example.com",
    goal: { refunds: [], escalated: false, mentions: "processing" },
  },
  {
    id: "not-delivered",
    prompt: "Refund the kettle, please. ada@example.com",
    goal: { refunds: [], escalated: false, mentions: "delivered" },
  },
];
