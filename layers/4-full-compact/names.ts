/**
 * The names that the agent said last, for the notes that replace history: paths, identifiers, codes and numbers, by the
 * file or command that showed them last. Notes tell what was done; by these the agent finds its way back. Pure, and
 * linear in what is looked at, which is bounded.
 *
 *     said     what the agent wrote or passed to a tool, newest first, without secrets
 *     place    the file whose contents showed the name last, else the command, else none
 *     shown    what notes, restored files and the messages that stay have anyway is left out
 */
import { shortenPath, toCode } from "../../src/base/text.js";
import { isToolPart, type Message, type Part, readResultText, type ToolPart } from "../../src/io/message.js";
import {
  findTouchedPaths,
  formatInput,
  isChangingTool,
  mayShowSecrets,
  readInput,
} from "../../src/messages/call.js";
import { findTelling } from "../../src/notes/wording.js";
import { redactSecrets } from "../../src/text/secrets/secrets.js";

export interface NamesInput {
  /** Those that are not shown any more, oldest first. */
  gone: readonly Message[];
  /** What the request shows in their place, and the messages that stay. */
  shown: readonly string[];
  staying: readonly Message[];
  /** Paths are shortened to this folder. */
  project: string;
  maxCharacters: number;
}

const MOST_NAMES = 300;
/** Names of one text: a file that was written whole does not crowd out the rest. */
const MOST_OF_A_TEXT = 40;
/** Characters looked at of one text, of all that the agent said, and of all that tools showed. */
const LOOKED_AT = 20_000;
const MOST_SAID = 100_000;
const MOST_SHOWN = 1_000_000;
const LONGEST_PLACE = 60;
const HEADING = "## Names you used last, and where they were last seen";
/** Those that hold no other name. */
const OTHER_FILES = "other files";

/** The section; empty if nothing fits or remains. */
export function formatNames(input: NamesInput): string {
  const names = findSaid(input);
  const places = findPlaces(names, input);
  const own = new Set(places.values());
  const groups = new Map<string, string[]>();
  let room = input.maxCharacters - HEADING.length;
  for (const name of names) {
    const place = isPath(name) ? OTHER_FILES : places.get(name);
    if (place === undefined || own.has(name)) continue;
    const label = shortenPlace(place);
    const group = groups.get(label) ?? [];
    room -= name.length + (group.length === 0 ? label.length + 5 : 2);
    if (room < 0) break;
    groups.set(label, [...group, name]);
  }
  const lines = [...groups].map(([label, group]) => `- ${label}: ${group.join(", ")}`);
  return lines.length === 0 ? "" : [HEADING, ...lines].join("\n");
}

/** Of a long path the end. */
function shortenPlace(place: string): string {
  if (place.length <= LONGEST_PLACE || !isPath(place) || place.startsWith("`")) return place;
  const from = place.indexOf("/", place.length - LONGEST_PLACE);
  return `…${place.slice(from === -1 ? -LONGEST_PLACE : from)}`;
}

/** Newest first, each once. */
function findSaid({ gone, shown, staying, project }: NamesInput): string[] {
  const known = new Set<string>();
  for (const text of [...shown, ...staying.flatMap(({ parts }) => parts.flatMap(textsOf))])
    for (const name of findTelling(text)) known.add(shorten(name, project));
  const found: string[] = [];
  let left = MOST_SAID;
  for (const part of newestFirst(gone)) {
    if (left < 0 || found.length >= MOST_NAMES) break;
    for (const text of saidIn(part)) {
      left -= text.length;
      const isFresh = (name: string): boolean =>
        isWorthKeeping(name, part) && !known.has(shorten(name, project));
      // Looking for secrets takes longest, so only texts with something new are searched.
      if (![...findTelling(text)].some(isFresh)) continue;
      const fresh = [...findTelling(redactSecrets(text).text)].filter(isFresh);
      const names = fresh.slice(0, MOST_OF_A_TEXT).map((name) => shorten(name, project));
      for (const name of names) known.add(name);
      found.push(...names);
    }
  }
  return [...new Set(found)].slice(0, MOST_NAMES);
}

const isPath = (name: string): boolean => name.includes("/");
const shorten = (name: string, project: string): string => (isPath(name) ? shortenPath(name, project) : name);

/** Numbers count in what is told, not in code and options; paths do not in code, which imports by them. */
function isWorthKeeping(name: string, part: Part): boolean {
  if (isPath(name)) return !name.startsWith(".") && !(isToolPart(part) && isChangingTool(part.tool));
  return !isToolPart(part) || /[A-Za-z_]/.test(name);
}

/** Where each name was shown last. A path is its own place. */
function findPlaces(names: readonly string[], { gone, project }: NamesInput): Map<string, string> {
  const wanted = new Set(names.filter((name) => !isPath(name)));
  const files = new Map<string, string>();
  const commands = new Map<string, string>();
  let left = MOST_SHOWN;
  for (const part of newestFirst(gone)) {
    if (left < 0 || wanted.size === 0) break;
    if (!isToolPart(part) || mayShowSecrets(part)) continue;
    const [path] = findTouchedPaths(part, project);
    const place = path ?? toCode(formatInput(part, LONGEST_PLACE), LONGEST_PLACE);
    for (const text of path === undefined ? [resultOf(part)] : textsOf(part)) {
      left -= text.length;
      for (const name of findTelling(text)) {
        if (!wanted.has(name) || (path === undefined && commands.has(name))) continue;
        (path === undefined ? commands : files).set(name, place);
        if (path !== undefined) wanted.delete(name);
      }
    }
  }
  return new Map([...commands, ...files]);
}

/** The agent's parts. */
function* newestFirst(messages: readonly Message[]): Generator<Part> {
  for (let index = messages.length - 1; index >= 0; index--) {
    const { info, parts } = messages[index] as Message;
    if (info.role === "assistant") yield* [...parts].reverse();
  }
}

function saidIn(part: Part): string[] {
  if (!isToolPart(part)) return wordsOf(part);
  return mayShowSecrets(part) ? [] : stringsIn(readInput(part));
}

/** What a request shows of a part. */
const textsOf = (part: Part): string[] =>
  isToolPart(part) ? [...stringsIn(readInput(part)), resultOf(part)] : wordsOf(part);

const wordsOf = ({ text = "", type }: Part): string[] => (type === "text" ? [text.slice(0, LOOKED_AT)] : []);
const resultOf = (part: ToolPart): string => (readResultText(part) ?? "").slice(0, LOOKED_AT);

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value.slice(0, LOOKED_AT)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
