/** Forbidden paths of every known kind. */

import { fc } from "./property.js";
import { CANARY, UP } from "./victim.js";

const type = fc.constantFrom("knowledge", "directive", "archive/knowledge");
const word = fc.constantFrom("api", "端口", "my notes", "x-1");
const memory = fc.tuple(type, word).map(([folder, name]) => `${folder}/${name}.md`);
/** Path from the memory folder to one of the user's files. */
const away = fc.constantFrom(...UP).map((up) => `${up}${CANARY}`);
const slash = fc.constantFrom(
  "/",
  "\\",
  "\uff0f",
  "\uff3c",
  "\u2044",
  "\u2215",
  "\u29f8",
  "\u2571",
  "\ufe68",
);
const dots = fc.constantFrom("..", "\u2024\u2024", "\uff0e\uff0e", ".\uff0e", "\u2025", "\ufe52.");
const control = fc.constantFrom("\0", "\n", "\r", "\t", "\u001b", "\u0085", "\u007f");
const unseen = fc.constantFrom(
  "\u200b",
  "\u200e",
  "\u202e",
  "\u2066",
  "\u2069",
  "\ufeff",
  "\u2060",
  "\u00ad",
  "\u2028",
  "\u{e0041}",
  "\ud800",
  "\u200d",
);
const device = fc.constantFrom("con", "PRN", "Aux", "nul", "COM1", "lpt9", "conin$", "ＣＯＮ", "com¹");
const ending = fc.constantFrom("", ".txt", ".tar.gz", " .x", "  ");

/** Each path with its kind. */
export const hostilePath: fc.Arbitrary<{ kind: string; path: string }> = fc.oneof(
  ...Object.entries({
    "up and away": away,
    "up and away, as a memory": fc.constantFrom(...UP).map((up) => `${up}knowledge/evil.md`),
    "a legal prefix, then up": fc
      .tuple(type, away)
      .map(([folder, path]) => `${folder}/../${"../".repeat(folder.split("/").length - 1)}${path}`),
    "a whole legal path, then up": fc.tuple(memory, away).map(([path, up]) => `${path}/../../${up}`),
    absolute: fc.constantFrom(
      "/keep.conf",
      "/knowledge/x.md",
      "C:\\keep.conf",
      "C:/x.md",
      "//host/x.md",
      "file:///x.md",
    ),
    home: fc.constantFrom("~/keep.conf", "~/knowledge/x.md", "$HOME/x.md"),
    "a control character": fc
      .tuple(type, word, control, word)
      .map(([folder, a, c, b]) => `${folder}/${a}${c}${b}.md`),
    "a control character behind a way out": fc.tuple(away, control).map(([path, c]) => `${path}${c}.md`),
    backslashes: fc.tuple(type, away).map(([folder, path]) => `${folder}/${path.replaceAll("/", "\\")}.md`),
    "something like a slash in the name": fc
      .tuple(type, slash, word)
      .map(([folder, s, name]) => `${folder}/a${s}${name}.md`),
    "something like dots as the name": fc.tuple(type, dots).map(([folder, d]) => `${folder}/${d}.md`),
    "something like a way out": fc
      .tuple(type, dots, slash)
      .map(([folder, d, s]) => `${folder}/x${s}${d}${s}${d}${s}${CANARY}.md`),
    "look-alikes for the form itself": fc
      .tuple(
        word,
        slash.filter((s) => s !== "/"),
        dots,
      )
      .map(([name, s, d]) => `knowledge${s}${d}${s}${name}.md`),
    "a device": fc.tuple(type, device, ending).map(([folder, name, end]) => `${folder}/${name}${end}.md`),
    "something unseen": fc
      .tuple(type, word, unseen, word)
      .map(([folder, a, u, b]) => `${folder}/${a}${u}${b}.md`),
    "an end that Windows leaves out": fc
      .tuple(type, word, fc.constantFrom(".", " ", ". .", "..."))
      .map(([folder, name, end]) => `${folder}/${name}${end}.md`),
    "something behind the ending": fc
      .tuple(memory, fc.constantFrom(".", " ", "/", "/.", ":x", ".js", "\n", "~"))
      .map(([path, end]) => `${path}${end}`),
    "empty and own folders": fc.constantFrom(
      "knowledge//x.md",
      "//knowledge/x.md",
      "./knowledge/x.md",
      "knowledge/./x.md",
      "",
      ".",
      "..",
      "/",
      "knowledge",
      "knowledge/",
      "knowledge/.md",
      "knowledge/..md",
      "knowledge/.x.md",
    ),
    "another folder": fc.constantFrom(
      "Knowledge/x.md",
      "KNOWLEDGE/x.md",
      "notes/x.md",
      "archive/x.md",
      "archive/archive/knowledge/x.md",
      "Archive/knowledge/x.md",
      "private/knowledge/x.md",
      "knowledge/a/x.md",
      "ledger/x.md",
      "conflicts/x.md",
      "archive/conflicts/x.md",
      ".git/x.md",
      "constructor/x.md",
      "__proto__/x.md",
      "MEMORY.md",
      ".gitignore",
      "knowledge/x.MD",
      "knowledge/x.js",
      "knowledge/x",
    ),
    "too long": fc
      .tuple(type, fc.constantFrom("x", "端", "🙂"))
      .map(([folder, letter]) => `${folder}/${letter.repeat(300)}.md`),
  }).map(([kind, path]) => path.map((one) => ({ kind, path: one }))),
);
