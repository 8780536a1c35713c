/**
 * Traits of a message's layout that show who wrote it: people type lower case, slips and short lines; programs and
 * models write headings, bold labels, tables and regular punctuation. Pure, one pass.
 */

/** Longer messages are judged by their beginning and end. */
const LOOKED_AT = 20_000;

const MOST_LINES = 400;
const OF_A_LINE = 400;

/** Names of the message's traits; each is a weak sign. */
export function findMessageTraits(text: string): string[] {
  const looked = text.length <= LOOKED_AT ? text : text.slice(0, LOOKED_AT);
  const lines = looked
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, MOST_LINES)
    .map((line) => line.slice(0, OF_A_LINE));
  const words = looked.split(/\s+/).length;
  const share = (pattern: RegExp): number =>
    lines.filter((line) => pattern.test(line)).length / Math.max(1, lines.length);
  const count = (pattern: RegExp): number => looked.match(pattern)?.length ?? 0;
  const some = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  const traits: string[] = [];
  const note = (name: string, holds: boolean): void => {
    if (holds) traits.push(`m:${name}`);
  };
  traits.push(`m:chars${bucket(looked.length, CHARACTERS)}`, `m:lines${bucket(lines.length, LINES)}`);
  note("headings", count(/^#{1,6} \S/gm) >= 2);
  note("bold", count(/\*\*[^*\n]{1,80}\*\*/g) >= 2);
  note("rules", some(/^\s*(-{3,}|–{3,}|={3,}|_{3,}|\*{3,})\s*$/));
  note("table", some(/^\s*\|.*\|\s*$/));
  note("fence", looked.includes("```"));
  note("emoji", /\p{Extended_Pictographic}/u.test(looked));
  note("checks", /[✅❌✔✓☑📌🚀]/u.test(looked));
  note("dashes", looked.includes("—"));
  note("curly", /[“”’]/.test(looked));
  note("arrows", /→|=>|->/.test(looked));
  note("items", share(/^\s*([-*+•]|\d+[.)])\s+\S/) >= 0.3);
  note("someItems", lines.length > 1 && share(/^\s*([-*+•]|\d+[.)])\s+\S/) > 0);
  note("labels", lines.length > 2 && share(/^\s*[\w *`-]{2,30}:(\s|$)/) >= 0.3);
  note("smallStart", /^\s*[a-z]/.test(looked));
  note("smallLines", share(/^\s*[a-z]/) >= 0.5);
  note("smallI", /(^|[\s,.])i('m|'ve|'d)?\s/.test(looked));
  note("noStop", !/[.!?。！？:)\]`"]\s*$/.test(looked));
  note(
    "slips",
    /\b(teh|taht|dont|doesnt|cant|wont|isnt|didnt|im|ive|thats|pls|plz|u|ur|bcus|cuz|gonna|wanna|alot)\b|\s,\S|[a-z] ,|\.\.(?!\.)|!!|\?\?/i.test(
      looked,
    ),
  );
  note("capitals", /\b[A-Z]{4,}( [A-Z']{2,}){2,}/.test(looked));
  note("question", looked.includes("?") || looked.includes("？"));
  note("mention", /(^|\s)@[\w./-]+/.test(looked));
  note("url", /https?:\/\//.test(looked));
  note("trace", some(/^\s*at \S+ \(|Traceback|\bError:|Exception\b/));
  note("times", count(/\d\d:\d\d:\d\d/g) >= 2);
  note(
    "code",
    lines.filter((line) => /[{};]\s*$/.test(line)).length >= 3 ||
      count(/[=(){}[\];<>]/g) / looked.length > 0.05,
  );
  note(
    "prompt",
    /\b(you are (a|an|the|building)|your task|step \d|phase \d|acceptance criteria|requirements?:|deliverables?|overview|summary)\b/i.test(
      looked,
    ),
  );
  note(
    "answer",
    /^(here('s| is| are)|sure|certainly|i('ll| will|'ve)|let me|great|perfect|based on)\b/im.test(looked) &&
      words > 60,
  );
  note(
    "longLine",
    lines.some((line) => line.length > 300),
  );
  note("shortLines", lines.length > 5 && looked.length / lines.length < 40);
  note("one", lines.length === 1);
  return traits;
}

const CHARACTERS = [25, 60, 120, 250, 500, 1_000, 2_000, 5_000];
const LINES = [1, 2, 4, 8, 16, 40];

/** Index of the first bound that the number does not exceed. */
export function bucket(value: number, bounds: readonly number[]): number {
  const place = bounds.findIndex((bound) => value <= bound);
  return place === -1 ? bounds.length : place;
}
