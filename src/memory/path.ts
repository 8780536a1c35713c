import { formatID, isName, isType, type Memory, type Place, parseID } from "./memory.js";

export interface MemoryPath extends Pick<Place, "type" | "name"> {
  isArchived: boolean;
}

export const ARCHIVE = "archive";
export const CONFLICTS = "conflicts";
export const LEDGER = "ledger";

const ENDING = ".md";
/** The longest name has 240 bytes. */
const LONGEST_PATH = 300;
const LONGEST_QUOTE = 80;

export function formatPath({ isArchived, name, type }: MemoryPath): string {
  return `${isArchived ? `${ARCHIVE}/` : ""}${type}/${name}${ENDING}`;
}

/** Parses the path of a file from a listing; `undefined` if no memory can be there. */
export function splitPath(path: string): MemoryPath | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  const [, archive, type, name = ""] = /^(archive\/)?([a-z]+)\/([^/]+)\.md$/s.exec(path) ?? [];
  return isType(type) && isName(name) ? { type, name, isArchived: archive !== undefined } : undefined;
}

/** The id of the memory in this file; the path itself if no memory can be there. */
export function idOf(place: Pick<Place, "scope" | "sensitivity">, path: string): string {
  const parts = splitPath(path);
  return parts ? formatID({ ...place, ...parts }) : path;
}

/** Parses an untrusted path; `undefined` for one that no line of a file may name. */
export function parsePath(path: string): MemoryPath | undefined {
  const parts = splitPath(path);
  return parts && findNameFault(parts.name) === undefined ? parts : undefined;
}

/** Why `parsePath` refuses this path; `undefined` if it does not. */
export function findPathFault(path: string): string | undefined {
  const parts = splitPath(path);
  if (!parts) return `${quotePath(path)} is not a memory path, expected [archive/]<type>/<name>.md`;
  const fault = findNameFault(parts.name);
  return fault === undefined ? undefined : `${quotePath(path)} is not a memory path: ${fault}`;
}

/** True if the ledger can name this memory's file. Otherwise only a person changes it. */
export function hasHistory({ id }: Pick<Memory, "id">): boolean {
  const place = parseID(id);
  return place !== undefined && findNameFault(place.name) === undefined;
}

export function isMemoryFile(file: string): boolean {
  return file.endsWith(ENDING) && isName(file.slice(0, -ENDING.length));
}

/** `at` is an ISO date-time, `clone` a name of `nameClone`. */
export function formatLedgerFile(at: string, clone: string): string {
  return `${at.slice(0, 7)}-${clone}.jsonl`;
}

export function isLedgerFile(file: string): boolean {
  return /^\d{4}-\d{2}-([0-9a-f]{8}|unnamed)\.jsonl$/.test(file);
}

/** For people: short, on one line, with control and invisible characters escaped. */
export function quotePath(path: string): string {
  const short = path.length > LONGEST_QUOTE ? `${path.slice(0, LONGEST_QUOTE)}…` : path;
  return JSON.stringify(short).replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`,
  );
}

/*
 * File names made from titles, so that people find them: "Port 8080, not 3000!" → `port-8080-not-3000`. Letters of
 * every script stay, without accents on Latin ones. Portable: lower case, composed (NFC), no names that Windows
 * reserves.
 */

const MOST_WORDS = 5;
/** Left out of longer titles: they tell two memories apart least. */
const FILLERS: ReadonlySet<string> = new Set(
  "the a an is are was were be been of to in on at for and or we i you it its this that our my your us with as by".split(
    " ",
  ),
);
/** UTF-8 bytes. Common file systems allow 255, and other code appends to the name. */
const MOST_BYTES = 72;
/** Microsoft, "Naming Files, Paths, and Namespaces". */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)$/;

/** They are devices with an extension or trailing spaces, too. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d) *(\.|$)/;
/** Slashes of other scripts and of mathematics that `normalize` leaves as they are. */
const SLASH_LIKE = /[\u2044\u2215\u2216\u2571\u2572\u29f5\u29f8\u29f9]/;
/** Two dots in a row, at least one of them a look-alike. The ellipsis of prose is allowed. */
const DOTS_LIKE = /\u2025|[\u2024\ufe52\uff0e][.\u2024\ufe52\uff0e]|\.[\u2024\ufe52\uff0e]/;
/**
 * Characters that reverse the writing direction, are invisible, or break a line. Many scripts need joiners between
 * letters …
 */
const UNSEEN = /(?![\u200c\u200d])(?=\p{Default_Ignorable_Code_Point})\p{Cf}|[\p{Cs}\p{Zl}\p{Zp}]/u;
/** … and so do emoji; beside unjoined letters, beside each other and at the ends they join nothing. */
const ALONE =
  "\\p{ASCII}\\u200c\\u200d\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}";
const IDLE_JOINER = new RegExp(`(?:^|[${ALONE}])[\\u200c\\u200d]|[\\u200c\\u200d](?:$|[${ALONE}])`, "u");

/**
 * Why a line of a file may not name this file, although the file may exist: another disk, or a reader, takes the name
 * for something else. `undefined` for every name from `planName`. Pure.
 */
export function findNameFault(name: string): string | undefined {
  const folded = foldName(name);
  if (DEVICE.test(folded)) return "Windows reserves that name for a device";
  if (/[. ]$/.test(name)) return "its name ends with a dot or a space, which Windows drops";
  if (/[/\\]/.test(folded) || SLASH_LIKE.test(name)) return "its name contains a character like a slash";
  if (folded.replaceAll(".", "").trim() === "" || DOTS_LIKE.test(name))
    return "its name contains characters like two dots";
  if (UNSEEN.test(name) || IDLE_JOINER.test(name)) return "its name contains an invisible character";
  return undefined;
}

/** A name of at most five words for this title; `undefined` if none of its characters can be used. */
export function formatName(title: string): string | undefined {
  const words = title
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/(\p{Script=Latin})\p{Mn}+/gu, "$1")
    .normalize("NFC")
    .replace(/['’]/g, "")
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== "");
  const telling = words.length > MOST_WORDS ? words.filter((word) => !FILLERS.has(word)) : words;
  const name = cut((telling.length > 0 ? telling : words).slice(0, MOST_WORDS).join("-"), MOST_BYTES);
  if (name === "") return undefined;
  return RESERVED.test(name) ? `${name}-memory` : name;
}

/** The first free name of `name`, `name-2`, `name-3`, …; `taken` has names as `foldName` maps them. */
export function planName(title: string, otherwise: string, taken: Pick<ReadonlySet<string>, "has">): string {
  const name = formatName(title) ?? otherwise;
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name}-${n}`;
    if (!taken.has(foldName(candidate))) return candidate;
  }
}

/** Maps names that some disk treats as one to the same string: disks may ignore case and Unicode composition. */
export function foldName(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFC");
}

/** Cuts at the end of a word if one ends in the second half. */
function cut(text: string, mostBytes: number): string {
  const encoder = new TextEncoder();
  if (encoder.encode(text).byteLength <= mostBytes) return text;
  let kept = "";
  let bytes = 0;
  for (const letter of text) {
    bytes += encoder.encode(letter).byteLength;
    if (bytes > mostBytes) break;
    kept += letter;
  }
  const end = kept.lastIndexOf("-");
  return (end > kept.length / 2 ? kept.slice(0, end) : kept).replace(/-+$/, "");
}
