/** What of ours reads a text that somebody else wrote, each as its caller calls it. */
import { stripVTControlCharacters } from "node:util";
import { writePreview } from "../../../layers/1-tool-results/preview.js";
import { formatMaterial } from "../../../layers/3-session-memory/write-sections.js";
import { simplifyCommand } from "../../../layers/5-auto-memory/extraction/commands.js";
import { planUnread } from "../../../layers/5-auto-memory/extraction/turns.js";
import { compilePattern, takeApart } from "../../../layers/5-auto-memory/injection/line.js";
import { parseAnswer } from "../../../layers/5-auto-memory/judge/verdicts.js";
import { findOrder } from "../../../layers/5-auto-memory/said/find-order.js";
import { findSaid, findVerbatim } from "../../../layers/5-auto-memory/said/find-said.js";
import { findWhen, formatTitle } from "../../../layers/5-auto-memory/words/describe.js";
import { planRemembered } from "../../../layers/5-auto-memory/words/marked.js";
import { readStatements, type UsersMessage } from "../../../layers/5-auto-memory/words/statements.js";
import { checkAnswer } from "../../../layers/6-dream/ask-model.js";
import { formatDelivery, parseInboxLine } from "../../../layers/7-across-agents/mail/mail.js";
import {
  isFailedCommand,
  normalizeCommand,
  normalizeMessage,
  readEndedCall,
  splitCommand,
} from "../../../layers/errors/ended-call.js";
import { parseEntry } from "../../../layers/errors/error-log.js";
import { isCorrection } from "../../../layers/errors/failures.js";
import { toPrintable } from "../../../src/base/printable.js";
import type { Files } from "../../../src/io/files.js";
import { readJsonLines } from "../../../src/io/json-lines.js";
import type { ToolPart } from "../../../src/io/message.js";
import { parseConflict } from "../../../src/memory/conflict.js";
import { refuseSecrets } from "../../../src/memory/draft.js";
import { checkDraft } from "../../../src/memory/gate/gate.js";
import type { Memory } from "../../../src/memory/memory.js";
import { MOST_FILE_BYTES, parseMemoryFile } from "../../../src/memory/memory-file.js";
import { parsePending } from "../../../src/memory/store/journal.js";
import { createLedger } from "../../../src/memory/store/ledger.js";
import { createTrustRecord } from "../../../src/memory/trust/record.js";
import { findErrorLine } from "../../../src/messages/error-line.js";
import { parseForkReports } from "../../../src/notes/fork-report.js";
import { learnMessages } from "../../../src/notes/learn.js";
import { EMPTY_LEDGER } from "../../../src/notes/ledger.js";
import { parseSections, redactSections } from "../../../src/notes/page.js";
import { parseStored } from "../../../src/notes/stored.js";
import { findNextStep, findReasons, findRules } from "../../../src/notes/wording.js";
import { findEntities } from "../../../src/recall/entities.js";
import { createRecall } from "../../../src/recall/recall.js";
import { splitTerms } from "../../../src/recall/terms.js";
import { compareStatements } from "../../../src/text/compare.js";
import { redactLines, redactSecrets } from "../../../src/text/secrets/secrets.js";
import { toCode, toLine } from "../../../src/text/text.js";
import { memory } from "../../support/memories.js";
import { answer, call, user } from "../../support/messages.js";

export interface Reader {
  name: string;
  /**
   * What it gives back may be work in slices: each is a piece of its own. Of what takes a promise, each look at the disk
   * ends a piece.
   */
  read(text: string, files: Files): unknown;
}

const place = {
  scope: "project",
  sensitivity: "internal",
  type: "knowledge",
  name: "x",
  isArchived: false,
  modifiedMs: 0,
} as const;
const recall = createRecall({ now: () => 0 });
recall.add({ id: "a", title: "The port", text: "The port of the server is 8080", aliases: ["server port"] });

function bash(command: string, output: string, exit = 1): ToolPart {
  const part = call("bash", output) as ToolPart;
  return { ...part, state: { ...part.state, input: { command }, output, metadata: { exit } } } as ToolPart;
}

/** A session that is full of it: messages as long as a person's may be. */
function pasteAsSession(text: string): UsersMessage[] {
  const messages: UsersMessage[] = [];
  for (let from = 0; from < text.length && messages.length < 60; from += LONGEST_OWN)
    messages.push({
      id: `m${from}`,
      text: text.slice(from, from + LONGEST_OWN),
      asked: text.slice(0, LONGEST_OWN),
    });
  return messages;
}
const LONGEST_OWN = 3_900;

const rule = (content: string): Memory =>
  memory("rule", content, { type: "directive", created: new Date(0).toISOString() });
const OTHERS = (text: string): Memory[] =>
  Array.from({ length: 20 }, (_, n) => ({ ...rule(`${text.slice(0, 10_000)} ${n}`), id: `directive/r${n}` }));

const withText = (text: string, files: Files): Files => ({
  ...files,
  list: async () => ["2026-11-a.jsonl"],
  statItself: async () => ({ kind: "file", bytes: text.length, modifiedMs: 0, changedMs: 0 }),
  read: async () => Buffer.from(text),
  readFrom: async () => Buffer.from(text),
});
const ledgerOf = (text: string, files: Files) =>
  createLedger({
    files: withText(text, files),
    folder: "/s",
    log: { error() {}, warn() {}, info() {}, debug() {} },
    nameClone: async () => "c",
    prefix: "",
  });
const trustOf = (text: string, files: Files) => createTrustRecord(withText(text, files), "/s");
const lineOf = (contents: string): string =>
  JSON.stringify({
    ...{ v: 1, id: "a", at: "2026-11-22T00:00:00.000Z", instance: "i", by: "strata", key: "knowledge/x" },
    ...{ path: "knowledge/x.md", operation: "remember", before: null, after: "0", contents },
  });

const reader = (name: string, read: Reader["read"]): Reader => ({ name, read });

export const readers: readonly Reader[] = [
  reader("planUnread", (text) => planUnread([user(text)], { untilMs: -1, callsUntilMs: -1 })),
  reader("planUnread, a command", (text) =>
    planUnread([answer([bash(text, "")])], { untilMs: -1, callsUntilMs: -1 }),
  ),
  reader("readStatements", (text) => readStatements({ id: "msg_1", text })),
  reader("findSaid", (text) =>
    findSaid("Never use abcd in the parser, because it breaks.", pasteAsSession(text)),
  ),
  reader("findSaid, the agent's", (text) => findSaid(text.slice(0, 10_000), pasteAsSession(text))),
  reader("findVerbatim", (text) => findVerbatim(text.slice(0, 1_200), pasteAsSession(text))),
  reader("findOrder", (text) =>
    findOrder({
      action: "archive",
      memory: rule(text),
      others: OTHERS(text),
      messages: pasteAsSession(text),
    }),
  ),
  reader("findWhen", findWhen),
  reader("formatTitle", formatTitle),
  reader("simplifyCommand", simplifyCommand),
  reader("redactSecrets", redactSecrets),
  reader("redactLines", (text) => redactLines(text.split("\n"))),
  reader("refuseSecrets", (text) => refuseSecrets(rule(text.slice(0, MOST_FILE_BYTES)))),
  reader("parseStored", (text) => parseStored(text)),
  reader("redactSections", (text) => redactSections({ Learnings: text } as never)),
  reader("ledger, lines", (text, files) => ledgerOf(text, files).readAll()),
  reader("ledger, one line", (text, files) => ledgerOf(`${lineOf(text)}\n`, files).readAll()),
  reader("trust record", (text, files) => trustOf(text, files).readOn()),
  reader("readJsonLines", (text, files) =>
    readJsonLines({ ...files, read: async () => Buffer.from(text) }, "/l", parseInboxLine),
  ),
  reader("parsePending", (text) => parsePending(text, "")),
  reader("formatDelivery", (text) =>
    formatDelivery([{ v: 1, id: "a", from: "ses", instance: "i", text, at: 0 }]),
  ),
  reader("toPrintable", (text) => toPrintable(text)),
  reader("checkAnswer", (text) => checkAnswer(text, [])),
  reader("checkDraft", (text) =>
    checkDraft({ type: "knowledge", content: text, provenance: { by: "tool", evidence: text } }),
  ),
  reader("compareStatements", (text) => compareStatements(text, "The port is 8080.")),
  reader("planRemembered", planRemembered),
  reader("parseAnswer", (text) => parseAnswer(text, { messages: [], work: [], memories: [] })),
  reader("parseConflict", parseConflict),
  reader("parseMemoryFile", (text) => parseMemoryFile(Buffer.from(text), place)),
  reader("parseMemoryFile, front", (text) => parseMemoryFile(Buffer.from(`---\n${text}\n---\nx`), place)),
  reader("parseMemoryFile, title", (text) =>
    parseMemoryFile(Buffer.from(`---\ntitle: ${text}\n---\nx`), place),
  ),
  reader("parseMemoryFile, quoted", (text) =>
    parseMemoryFile(Buffer.from(`---\ntitle: "${text}"\n---\nx`), place),
  ),
  reader("learnMessages, user", (text) => learnMessages(EMPTY_LEDGER, [user(text)], "/p")),
  reader("learnMessages, agent", (text) =>
    learnMessages(EMPTY_LEDGER, [{ ...answer([]), parts: [{ type: "text", text }] }], "/p"),
  ),
  reader("learnMessages, output", (text) =>
    learnMessages(EMPTY_LEDGER, [answer([bash("make", text)])], "/p"),
  ),
  reader("learnMessages, command", (text) => learnMessages(EMPTY_LEDGER, [answer([bash(text, "x")])], "/p")),
  reader("formatMaterial", (text) =>
    formatMaterial([user(text), answer([bash(text, text)])], { maxCharacters: 20_000 }),
  ),
  reader("findRules", findRules),
  reader("findReasons", findReasons),
  reader("findNextStep", findNextStep),
  reader("parseSections", parseSections),
  reader("toLine", (text) => toLine(text, 200)),
  reader("toCode", (text) => toCode(text, 200)),
  reader("stripVTControlCharacters", stripVTControlCharacters),
  reader("findTellingLine, last", (text) => findErrorLine(text, { limit: 200, isLast: true })),
  reader("findTellingLine", (text) => findErrorLine(text, { limit: 200 })),
  reader("readEndedCall, output", (text) => readEndedCall(bash("make", text), "/p")),
  reader("readEndedCall, command", (text) => readEndedCall(bash(text, "error: x"), "/p")),
  reader("isCorrection", (text) => isCorrection("bash", `make ${text}`, `make ${text}b`)),
  reader("isFailedCommand", (text) => isFailedCommand({ command: text, exit: 1, output: text })),
  reader("normalizeMessage", normalizeMessage),
  reader("normalizeCommand", (text) => normalizeCommand(text, "/p")),
  reader("splitCommand", splitCommand),
  reader("parseEntry", parseEntry),
  reader("writePreview", (text) =>
    writePreview({ tool: "bash", content: Buffer.from(text), path: "/p/x.txt", pageBytes: 30_000 }),
  ),
  reader("parseForkReports", parseForkReports),
  reader("splitTerms", splitTerms),
  reader("findEntities", findEntities),
  reader("recall.match", (text) => recall.match(text)),
  reader("recall.search", (text) => recall.search(text)),
  reader("compilePattern", (text) => compilePattern(text)),
  reader("takeApart", (text) => takeApart({ command: text, path: text })),
];
