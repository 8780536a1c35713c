/**
 * The language of a sentence, by its letters and its function words: a script alone does not tell Chinese from Japanese,
 * nor English from Spanish. `other` is any unknown language; no signal is found in it.
 */

export type Tongue = "en" | "zh" | "ja" | "ko" | "ru" | "es" | "pt" | "it" | "fr" | "de" | "other";

const FUNCTION_WORDS: Readonly<Record<"en" | "es" | "pt" | "it" | "fr" | "de", ReadonlySet<string>>> = {
  en: set(
    "the a an and or but not is are was were be been have has had do does did don't doesn't isn't can can't should must will would it its it's this that these those there here i i'm you your we our they he she my me us of in on at to for from with by as if when what which who how why all any some never always please use just only also so than then now no yes make let's let need want into out up about im dont doesnt cant using its ive lets should",
  ),
  es: set(
    "el la los las un una unos unas y o pero no es son era ser está están estar ha han hay de del al en con por para que qué cuál como cómo cuando si ya muy más lo le les se me te mi tu su nos nuestro nuestra este esta esto ese esa eso yo tú él ella nunca siempre también solo sólo hacer puede puedes quiero necesito tengo porque sin sobre hola ahora usa cada todos todas ni sus",
  ),
  pt: set(
    "o a os as um uma uns umas e ou mas não nao é são era ser está estão estar foi tem há de do da dos das no na nos nas em com por para pra que qual como quando se já muito mais lhe me te meu minha seu sua nosso nossa este esta isto esse essa isso eu você vocês ele ela nunca sempre também só fazer pode quero preciso tenho porque sem sobre agora usa use cada todos todas nem ao pelo pela",
  ),
  it: set(
    "il lo la i gli le un uno una e o ma non è sono era essere sei ha hanno ho c'è ci di del della dei delle dello al alla ai in nel nella con per da dal dalla che chi cosa quale come quando se già più molto mi ti si mio mia tuo tua suo nostro nostra questo questa quello io tu lui lei noi mai sempre anche solo fare può puoi voglio devo devi perché senza su sul sulla ora adesso grazie ogni tutti tutte poi d'ora ancora quindi però",
  ),
  fr: set(
    "le la les un une des et ou mais ne pas n'est est sont était être été a ont il elle on nous vous je tu j'ai c'est ce cette ces de du au aux en dans avec par pour sur que qui quoi quel quelle comment quand si déjà plus très mon ma mes ton ta votre notre nos jamais toujours aussi seulement faire peut peux veux dois faut parce sans merci chaque tous toutes y désormais dorénavant maintenant donc",
  ),
  de: set(
    "der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war waren sein hat haben habe hatte wird werden kann können soll sollen muss müssen ich du er sie es wir ihr mein dein unser uns mir dir im in am an auf aus bei mit von vom zu zum zur für über unter wenn als wie was wer warum nie niemals immer auch nur noch schon kein keine bitte hier jetzt dass weil alle jede jeder jedes",
  ),
};
type Latin = keyof typeof FUNCTION_WORDS;
const LATIN = Object.keys(FUNCTION_WORDS) as Latin[];

/** Letters that only this one of the known languages has. */
const LETTERS: readonly (readonly [Latin, RegExp])[] = [
  ["es", /[ñ¿¡]/i],
  ["pt", /[ãõ]/i],
  ["de", /[ßäöü]/i],
  ["fr", /[êîôûçœ]/i],
  ["it", /[ìò]|è(?!\p{L})/iu],
];
/** Latin letters that none of the known languages has. */
const FOREIGN_LATIN = /[ąćęłńśźżčďěňřšťůžőűșțğışøåæđİư]|[ạ-ỹ]/i;
/** Cyrillic letters that Russian does not have. */
const FOREIGN_CYRILLIC = /[іїєґўђјљњћџқңөұүһә]/i;
/** Number of words read per sentence; more do not improve the result. */
const MOST_WORDS = 60;
/** Number of function words that an accent counts for. */
const LETTER = 1.5;

/** Addresses, paths, names in code. */
const NO_WORDS = /\S*[\w\])][/\\=@_.:][\w/\\]\S*/g;

export function tongueOf(sentence: string): Tongue {
  const count = (script: RegExp): number => sentence.match(script)?.length ?? 0;
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(/\p{Script=Han}/gu);
  const latin = count(/\p{Script=Latin}/gu);
  if (kana >= 2 || (kana === 1 && han <= 6)) return "ja";
  // One such character says as much as several Latin letters: "把 README.md 改成中文".
  if (han > 0) return 4 * han >= latin ? "zh" : "other";
  if (count(/\p{Script=Hangul}/gu) > 0) return "ko";
  const cyrillic = count(/\p{Script=Cyrillic}/gu);
  if (cyrillic > 0) return 2 * cyrillic < latin || FOREIGN_CYRILLIC.test(sentence) ? "other" : "ru";
  return latin === 0 || /\p{L}/u.test(sentence.replace(/\p{Script=Latin}/gu, ""))
    ? "other"
    : tongueOfLatin(sentence);
}

function tongueOfLatin(sentence: string): Tongue {
  if (FOREIGN_LATIN.test(sentence)) return "other";
  const words =
    sentence
      .replace(NO_WORDS, " ")
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}']+/gu) ?? [];
  const counts = new Map<Latin, number>(LATIN.map((tongue) => [tongue, 0]));
  const add = (tongue: Latin, much: number) => counts.set(tongue, (counts.get(tongue) ?? 0) + much);
  for (const word of words.slice(0, MOST_WORDS))
    for (const tongue of LATIN) if (FUNCTION_WORDS[tongue].has(word)) add(tongue, 1);
  for (const [tongue, letters] of LETTERS) if (letters.test(sentence)) add(tongue, LETTER);
  const [best, next] = [...counts].sort(([, a], [, b]) => b - a);
  if (!best || !next || best[1] === 0)
    return /[^\x20-\x7e\uE000-\uF8FF]/.test(sentence.replace(/[“”‘’…–—•→]/g, "")) ? "other" : "en";
  // The default: English is the most frequent, and has the fewest signs of its own.
  return best[1] === next[1] && counts.get("en") === best[1] ? "en" : best[0];
}

function set(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
