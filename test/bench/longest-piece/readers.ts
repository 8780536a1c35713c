/** What of ours reads a text that somebody else wrote, each as its caller calls it. */

import { parseAnswer } from "../../../layers/auto-memory/extract-answer.js";
import { planUnread } from "../../../layers/auto-memory/extract-turns.js";
import { compilePattern, takeApart } from "../../../layers/auto-memory/pattern.js";
import { findWhen } from "../../../layers/auto-memory/when.js";
import { writePreview } from "../../../layers/tool-results/preview.js";
import { parseForkReports } from "../../../src/agents/fork-report.js";
import { readAttempt } from "../../../src/failures/attempt.js";
import { parseEntry } from "../../../src/failures/entry.js";
import { normalizeCommand, normalizeMessage } from "../../../src/failures/fingerprint.js";
import { isMistake, splitCommand } from "../../../src/failures/mistake.js";
import { findChange } from "../../../src/failures/resolution.js";
import { checkDraft } from "../../../src/memory/check-draft.js";
import { compareStatements } from "../../../src/memory/compare.js";
import { parseConflict } from "../../../src/memory/conflict.js";
import { MOST_FILE_BYTES, parseMemoryFile } from "../../../src/memory/memory-file.js";
import { planRemembered } from "../../../src/memory/said.js";
import { redactSecrets, removeSecrets } from "../../../src/memory/secrets.js";
import { findLastTellingLine, withoutTerminalCodes } from "../../../src/notes/call.js";
import { learnMessages } from "../../../src/notes/learn.js";
import { EMPTY_LEDGER } from "../../../src/notes/ledger.js";
import { toCode, toLine } from "../../../src/notes/line.js";
import { formatMaterial } from "../../../src/notes/material.js";
import { findNextStep } from "../../../src/notes/next-step.js";
import { findReasons, findRules } from "../../../src/notes/rules.js";
import { parseSections } from "../../../src/notes/sections.js";
import { findTellingLine } from "../../../src/notes/telling-line.js";
import { findEntities } from "../../../src/recall/entities.js";
import { createRecall } from "../../../src/recall/recall.js";
import { splitTerms } from "../../../src/recall/terms.js";
import { lookForSignals, readOwnSentences } from "../../../src/signals/find-signals.js";
import { simplifyCommand } from "../../../src/signals/repeated-commands.js";
import { formatTitle } from "../../../src/signals/title.js";
import type { ToolPart } from "../../../src/view/message.js";
import { answer, call, user } from "../../support/messages.js";

export interface Reader {
  name: string;
  /** What it gives back may be work in slices: each is a piece of its own. */
  read(text: string): unknown;
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

const reader = (name: string, read: (text: string) => unknown): Reader => ({ name, read });
const options = { project: "/p", redact: (text: string) => redactSecrets(text).text };

export const readers: readonly Reader[] = [
  reader("planUnread", (text) => planUnread([user(text)], { untilMs: -1, callsUntilMs: -1 })),
  reader("planUnread, a command", (text) =>
    planUnread([answer([bash(text, "")])], { untilMs: -1, callsUntilMs: -1 }),
  ),
  reader("lookForSignals", lookForSignals),
  reader("readOwnSentences", readOwnSentences),
  reader("findWhen", findWhen),
  reader("formatTitle", formatTitle),
  reader("simplifyCommand", simplifyCommand),
  reader("removeSecrets", (text) => removeSecrets(text.slice(0, MOST_FILE_BYTES))),
  reader("checkDraft", (text) =>
    checkDraft({ type: "knowledge", content: text, provenance: { by: "tool", evidence: text } }),
  ),
  reader("compareStatements", (text) => compareStatements(text, "The port is 8080.")),
  reader("planRemembered", planRemembered),
  reader("parseAnswer", (text) => parseAnswer(text, [])),
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
  reader("withoutTerminalCodes", withoutTerminalCodes),
  reader("findLastTellingLine", (text) => findLastTellingLine(text, 200)),
  reader("findTellingLine", (text) => findTellingLine(text, 200)),
  reader("readAttempt, output", (text) => readAttempt(bash("make", text), options)),
  reader("readAttempt, command", (text) => readAttempt(bash(text, "error: x"), options)),
  reader("findChange", (text) =>
    findChange(bash(`make ${text}`, "x"), bash(`make ${text}b`, "x", 0), options),
  ),
  reader("isMistake", (text) => isMistake({ command: text, exit: 1, output: text })),
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
