import phrases from "./phrases.json" with { type: "json" };

/** The concern of a letter. Each concern has ways to say it that share few words, and other letters use the same words. */
export const concerns = ["late", "refund", "damage", "praise", "swap", "cancel"] as const;
export type Concern = (typeof concerns)[number];

export const said: Readonly<Record<Concern, readonly string[]>> = phrases.said;

/** Sentences that mention a concern and are not about it. */
export const decoys: readonly string[] = phrases.decoys;

export const fillers: readonly string[] = phrases.fillers;

/** Events that one letter of a text has: how the letter puts it, and how the question names it. */
export const needles: readonly { readonly event: string; readonly asked: string }[] =
  phrases.needles;

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
