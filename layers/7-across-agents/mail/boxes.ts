/** The boxes on disk: for each receiver a file of letters and a file of what became of them. */
import { join } from "node:path";
import { StrataError } from "../../../src/error.js";
import { createLineLog } from "../../../src/record/line-log.js";
import type { Clock } from "../../../src/seams/clock.js";
import type { Files } from "../../../src/seams/files.js";
import type { Decisions } from "../../../src/view/decisions.js";
import {
  type Claim,
  type CursorLine,
  formatHeading,
  type Letter,
  type LetterState,
  nameOf,
  parseCursorLine,
  parseLetter,
  withoutRepeats,
} from "./letter.js";
import { findOpenClaims, readStates } from "./plan-delivery.js";

/** Decisions are recorded as a layer of its own, so that nothing else takes their place after a result. */
export const MAIL_LAYER = "across-agents/mail";

/** Every call rejects with the system's error, and with EINVAL for a receiver that could name a file elsewhere. */
export interface Boxes {
  exists(receiver: string): Promise<boolean>;
  open(receiver: string): Promise<Box>;
  addLetter(receiver: string, letter: Letter): Promise<void>;
  append(receiver: string, line: CursorLine): Promise<void>;
  readCursor(receiver: string): Promise<CursorLine[]>;
  /** Does the decision that was to be recorded name these letters? */
  isRecorded(receiver: string, claim: Claim): Promise<boolean>;
  /** Sessions with a box. */
  receivers(): Promise<string[]>;
}

export interface Box {
  letters: Letter[];
  lines: CursorLine[];
  /** Open claims whose decision is there, and those whose is not. */
  recorded: Claim[];
  unrecorded: Claim[];
  states: Map<string, LetterState>;
}

export interface BoxesOptions {
  clock: Clock;
  decisions: Pick<Decisions, "find" | "load">;
  files: Files;
  folder: string;
}

const LETTERS = ".jsonl";
const CURSOR = ".cursor.jsonl";

export function createBoxes({ clock, decisions, files, folder }: BoxesOptions): Boxes {
  const lettersOf = (receiver: string): string => pathOf(folder, receiver, LETTERS);
  const cursorOf = (receiver: string): string => pathOf(folder, receiver, CURSOR);
  const letterLog = createLineLog({ files, parse: parseLetter });
  const cursorLog = createLineLog({ files, parse: parseCursorLine });

  return {
    exists: async (receiver) => (await files.stat(lettersOf(receiver))) !== undefined,

    async open(receiver) {
      const [letters, lines] = await Promise.all([readLetters(receiver), readCursor(receiver)]);
      const claims = findOpenClaims(lines);
      const found = await Promise.all(claims.map((claim) => isRecorded(receiver, claim, letters)));
      const recorded = claims.filter((_, index) => found[index]);
      const unrecorded = claims.filter((_, index) => !found[index]);
      const states = readStates(letters, lines, recorded, clock.now());
      return { letters, lines, recorded, unrecorded, states };
    },

    async addLetter(receiver, letter) {
      await letterLog.append(lettersOf(receiver), [letter]);
    },

    async append(receiver, line) {
      await cursorLog.append(cursorOf(receiver), [line]);
    },

    readCursor,
    isRecorded: (receiver, claim) => isRecorded(receiver, claim),

    async receivers() {
      const names = await files.list(folder);
      return names
        .filter((name) => name.endsWith(LETTERS) && !name.endsWith(CURSOR))
        .map((name) => name.slice(0, -LETTERS.length));
    },
  };

  async function isRecorded(receiver: string, { key, letters }: Claim, known?: Letter[]): Promise<boolean> {
    const all = known ?? (await readLetters(receiver));
    await decisions.load([key.day], { again: true });
    const extended = decisions.find(key.key, receiver)?.extended ?? [];
    const text = extended.find(({ layer }) => layer === MAIL_LAYER)?.text ?? "";
    const headings = all.filter((letter) => letters.includes(nameOf(letter))).map(formatHeading);
    return headings.length > 0 && headings.every((heading) => text.includes(heading));
  }

  async function readLetters(receiver: string): Promise<Letter[]> {
    return withoutRepeats((await letterLog.read(lettersOf(receiver))).records);
  }

  async function readCursor(receiver: string): Promise<CursorLine[]> {
    return (await cursorLog.read(cursorOf(receiver))).records;
  }
}

function pathOf(folder: string, receiver: string, ending: string): string {
  if (!/^[\w-]{1,200}$/.test(receiver))
    throw new StrataError("EINVAL", `expected the id of a session, got ${JSON.stringify(receiver)}`);
  return join(folder, `${receiver}${ending}`);
}
