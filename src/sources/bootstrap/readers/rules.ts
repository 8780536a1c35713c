/** Rules in files for other agents: one memory per file, with the file's text. Pure. */
import type { PlainRecord } from "../../../base/shape.js";
import { readPage } from "../../../memory/memory-file.js";
import { toLine } from "../../../text/text.js";
import { type Fact, type Reader, toTitle, toValues } from "../fact.js";

/** The gate refuses longer texts; see `findRefusal`. */
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

/** Escape sequences and other characters that a terminal would obey. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;
/** A rule with more or longer globs applies to all files. */
const [MOST_GLOBS, LONGEST_GLOBS] = [50, 4_000];

/**
 * The paths that a rule applies to, as in Cursor, Windsurf (`globs`), Copilot (`applyTo`) and Claude (`paths`); empty
 * for all files. Triggers have no braces, so each alternative becomes a separate glob.
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

/** `a/*.{ts,tsx}` becomes `a/*.ts` and `a/*.tsx`. */
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
