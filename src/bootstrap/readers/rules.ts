/** Rules that files for other agents state: one memory a file, with the text as it is there. Pure. */
import { readPage } from "../../memory/memory-file.js";
import type { PlainRecord } from "../../records.js";
import { toLine } from "../../text.js";
import { type Fact, type Reader, toTitle, toValues } from "../fact.js";

/** A longer text is no memory; see `findRefusal`. */
export const MOST_RULE_CHARACTERS = 31_000;

export const readRules: Reader = (text, path): readonly Fact[] => {
  const { body, front } = readPage(text) ?? { front: {}, body: text };
  const content = body.replace(/\r\n/g, "\n").replace(CONTROL, "").trim();
  if (content === "") return [];
  if (content.length > MOST_RULE_CHARACTERS)
    throw new RangeError(
      `it has ${content.length} characters, a memory at most ${MOST_RULE_CHARACTERS}; split it, or name it under instructions in opencode.json`,
    );
  const description = toValues(front.description).map((text) => toLine(text, 200));
  const when = planGlobs(front);
  return [
    {
      ...{ key: "rules", type: "directive", importance: 0.7, content },
      title: toTitle(`Rules from ${path}`),
      ...(description.length > 0 && { aliases: description }),
      ...(when.length > 0 && { when }),
    },
  ];
};

/** Escape sequences and the like, which a terminal would obey. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;
/** A rule with more globs, or longer ones, holds for all files. */
const [MOST_GLOBS, LONGEST_GLOBS] = [50, 4_000];

/**
 * The paths that a rule is for, as Cursor, Windsurf (`globs`), Copilot (`applyTo`) and Claude (`paths`) name them; none if
 * it is for all. Triggers have no braces, so each alternative is a glob of its own.
 */
function planGlobs({ applyTo, globs, paths }: PlainRecord): string[] {
  const given = [globs, applyTo, paths].flatMap(toValues).join(",");
  if (given.length > LONGEST_GLOBS) return [];
  const all = given
    .split(/,(?![^{]*\})/)
    .flatMap(expandBraces)
    .map((glob) => glob.trim())
    .filter((glob) => glob !== "");
  return all.length > MOST_GLOBS || all.some((glob) => /^[*/]+$/.test(glob)) ? [] : [...new Set(all)];
}

/** `a/*.{ts,tsx}` is `a/*.ts` and `a/*.tsx`. */
function expandBraces(glob: string): string[] {
  let all = [glob];
  while (all.length <= MOST_GLOBS && all.some((one) => BRACES.test(one)))
    all = all.flatMap((one) => {
      const [, head = "", list, tail = ""] = BRACES.exec(one) ?? [];
      return list === undefined ? [one] : list.split(",").map((part) => `${head}${part.trim()}${tail}`);
    });
  return all;
}

const BRACES = /^([^{}]*)\{([^{}]*)\}(.*)$/s;
