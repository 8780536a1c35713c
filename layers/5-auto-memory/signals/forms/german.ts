/** German, in plain forms only. */
import type { Form } from "./form.js";
import { start, word } from "./words.js";

const DE_BUT = word(
  "noch|vorerst|diesmal|im moment|schon|gerade|erkläre nur|erklär nur|fehler|knopf|button|spalte|farbe|funktioniert|diese datei",
);
export const german: readonly Form[] = [
  {
    name: "fromNow",
    type: "directive",
    pattern: word("ab jetzt|von jetzt an|ab sofort|in zukunft|künftig|von nun an"),
    but: word("funktioniert|kommt|geht|erscheint|wird|ist|habe ich|bekomme|plane|wollen wir|könnte|soll"),
    isPlain: true,
  },
  {
    name: "neverAgain",
    type: "directive",
    pattern: word(
      "(?:benutze|verwende|mach|mache|ändere|lösche|schreib|schreibe|fass|pushe|committe) .{0,40}(?:nie wieder|niemals|nie mehr|nie)",
    ),
    but: word("ich|es|er|sie|man|warum"),
    isPlain: true,
  },
  {
    name: "alwaysNever",
    type: "directive",
    pattern: start(
      "(?:(?:und|aber|bitte|außerdem),? )*(?:benutze|benutz|verwende|antworte|schreib|schreibe|führe|frag|frage|prüfe|mach|mache|nutze) (?:\\p{L}+ )?immer",
    ),
    but: word("wieder|noch"),
    isPlain: true,
  },
  {
    name: "remember",
    type: "knowledge",
    pattern: start("(?:merk dir|merke dir|denk daran|denk dran|beachte|vergiss nicht)(?:, dass|:)"),
    but: DE_BUT,
    isPlain: true,
  },
  {
    name: "correction",
    type: "feedback",
    pattern: /^nein[,.] (?:der|die|das|es|er|sie|wir|dort)(?!\p{L}).{2,60},? (?:und )?nicht \S/u,
    but: DE_BUT,
    isPlain: true,
  },
];
