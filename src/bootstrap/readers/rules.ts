/** Rules that files for other agents state: one memory a file, with the text as it is there. Pure. */
import { readPage } from "../../memory/memory-file.js";
import type { PlainRecord } from "../../records.js";
import { toLine } from "../../text.js";
import { type Fact, type Reader, toTitle, toValues } from "../fact.js";

/** A longer text is no memory; see `findRefusal`. */
export const MOST_RULE_CHARACTERS = 31_000;

export const readRules: Reader = (text, path): readonly Fact[] => {
  const { body, front } = readPage(text) ?? { front: {}, body: text };
  const content = body.replace(/\r\n/g, "\n").trim();
  if (content === "") return [];
  if (content.length > MOST_RULE_CHARACTERS)
    throw new RangeError(
      `it has ${content.length} characters, a memory at most ${MOST_RULE_CHARACTERS}; split it, or name it under instructions in opencode.json`,
    );
  const description = toValues(front.description).map((text) => toLine(text, 200));
  const when = listGlobs(front);
  return [
    {
      ...{ key: "rules", type: "directive", importance: 0.7, content },
      title: toTitle(`Rules from ${path}`),
      ...(description.length > 0 && { aliases: description }),
      ...(when.length > 0 && { when }),
    },
  ];
};

/** The paths that a rule is for, as Cursor, Windsurf (`globs`), Copilot (`applyTo`) and Claude (`paths`) name them. */
function listGlobs({ applyTo, globs, paths }: PlainRecord): string[] {
  return [globs, applyTo, paths]
    .flatMap(toValues)
    .flatMap((list) => list.split(/,(?![^{]*\})/))
    .map((glob) => glob.trim())
    .filter((glob) => glob !== "" && !/^[*/]+$/.test(glob));
}
