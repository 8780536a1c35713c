/** Parsers of what models and tools answer. */

import { writePreview } from "../../../layers/1-tool-results/preview.js";
import { planShrink } from "../../../layers/1-tool-results/shrink.js";
import { findQuotes, readSource } from "../../../layers/5-auto-memory/findings/finding.js";
import { parseAnswer } from "../../../layers/5-auto-memory/judge/verdicts.js";
import { checkAnswer } from "../../../layers/6-dream/ask-model.js";
import { hashMessage, readEndedCall } from "../../../layers/errors/ended-call.js";
import { isRecord, parseJson } from "../../../src/base/shape.js";
import { MOST_OF_A_FIELD } from "../../../src/base/text.js";
import { cutQuote, readLines } from "../../../src/conversations/lines.js";
import { readStored } from "../../../src/host/2/stored.js";
import { compareTexts } from "../../../src/inspector/page/diff.js";
import type { Message } from "../../../src/io/message.js";
import { findDeclaredIn, findTouchedPaths } from "../../../src/messages/call.js";
import { findErrorLine, rankLine } from "../../../src/messages/error-line.js";
import { parseForkReports } from "../../../src/notes/fork-report.js";
import { parseSections as parseNotes } from "../../../src/notes/page.js";
import { findNamesAndPaths, findSubjects, findTelling } from "../../../src/notes/wording.js";
import { createSplitter } from "../../../src/recall/terms.js";
import { applyPatch } from "../../../src/trial/look-ups.js";
import { PROJECT } from "../fake-host.js";
import { call, user } from "../messages.js";

import {
  bash,
  batch,
  bytes,
  DIFF,
  isAnything,
  isList,
  isOr,
  isText,
  known,
  MEMORY,
  NOTES,
  OUTPUT,
  PATCH,
  type Parser,
  row,
  SAID,
  STORED,
  texts,
} from "./parser.js";

export const answers: readonly Parser[] = [
  row(
    "judge's answer",
    (text) => parseAnswer(text, batch as never),
    isOr(isRecord),
    'Here: ```json\n[{"quote":"m1.1-2","type":"directive","says":"Use pnpm.","sure":0.9,"why":"x","replaces":"k1"},{"keep":false}]\n```',
  ),
  row(
    "dream's answer",
    (text) => checkAnswer(text, [known]),
    isRecord,
    '[{"keep":"knowledge/port","supersede":["knowledge/ports"],"content":"The server listens on port 8080.","reason":"same"}]',
  ),
  row("notes' answer", (text) => parseNotes(text), isRecord, `\`\`\`md\n${NOTES}\`\`\``),
  row(
    "fork report",
    (text) => parseForkReports(text),
    isList(isRecord),
    "=== fork 1 of 2: fix it ===\ndone\nFiles: a.ts, b.ts\n<task_result>\nx\n</task_result>\n=== fork 2 of 2: x\n",
  ),
  row("messages of OpenCode 2", (text) => readStored(parseJson(text)), isOr(isList(isRecord)), STORED),
  row("shrunk output", (text) => planShrink(text, OUTPUT + DIFF), isOr(isRecord), OUTPUT, DIFF),
  row("output shrunk against itself", (text) => planShrink(text, `x\n${text}`), isOr(isRecord), OUTPUT, DIFF),
  row(
    "preview",
    (text) =>
      writePreview({
        tool: "bash",
        content: bytes(text),
        path: "/project/.opencode/tool-results/r1.txt",
        exitStatus: 1,
        pageBytes: 20_000,
      }),
    isOr(isText),
    OUTPUT,
    "1: a\n2: error: b\n",
  ),
  row(
    "error line",
    (text) => [findErrorLine(text, { limit: 200 }), findErrorLine(text, { limit: 200, isLast: true })],
    texts,
    OUTPUT,
  ),
  row("rank of a line", (text) => rankLine(text), isAnything, "12: Error: expected 1 at src/a.ts:12:3"),
  row("ended call", (text) => readEndedCall(bash("npm test", text), PROJECT), isOr(isRecord), OUTPUT),
  row(
    "message of an error",
    (text) => hashMessage(text),
    isText,
    "C:\\a\\b.ts:12 failed in 3.4s at 0xabcdef12 2026-11-21T09:00",
  ),
  row(
    "source of findings",
    (text) =>
      readSource(
        { part: call("webfetch", text, { state: { input: { url: "https://example.com/a" } } }), text },
        PROJECT,
      ),
    isOr(isRecord),
    `<title>A page</title>\n# Head\n${SAID}`,
  ),
  row(
    "address of a source",
    (text) =>
      readSource({ part: call("webfetch", "x", { state: { input: { url: text } } }), text: SAID }, PROJECT),
    isOr(isRecord),
    "https://u:p@example.com/a?token=x&b=c#d",
  ),
  row(
    "quotes of findings",
    // As much as is kept of a source.
    (text) => findQuotes(text.slice(0, 150_000), "which port does the server use"),
    isList(isRecord),
    `# Ports\nThe server uses port 8080 by default. [link](http://a) It **restarts** on change.\n${SAID}`,
  ),
  row(
    "lines of a conversation",
    (text) => readLines([{ ...user(text), parts: [...user(text).parts, bash(text, text)] } as Message]),
    isList(isRecord),
    SAID,
    OUTPUT,
  ),
  row(
    "quote of a conversation",
    // As much as is kept of a line.
    (text) => cutQuote(text.slice(0, MOST_OF_A_FIELD), new Set(["port", "8080"]), createSplitter()),
    isText,
    SAID,
  ),
  row("diff of the inspector", (text) => compareTexts(text, `${text.slice(1)}x`), isList(isAnything), MEMORY),
  row(
    "patch",
    (text) => [
      applyPatch("a\nb\n", text),
      ...findTouchedPaths(call("apply_patch", "", { state: { input: { patchText: text } } }), PROJECT),
    ],
    isList(isOr(isText)),
    PATCH,
    DIFF,
  ),
  row(
    "declared names",
    (text) => findDeclaredIn(text, 5),
    texts,
    "export async function parseIt(a: string): void {}\nconst makeIt = (x) => 1;\nfunc (s *S) DoIt() {}\ntype Foo struct {",
  ),
  row(
    "names and subjects",
    (text) => [...findNamesAndPaths(text), ...findSubjects(text), ...findTelling(text)],
    texts,
    "src/a/b.ts parseIt MAX_SIZE #123 1.2.3 0abcdef12 TS2345 a-b-c",
  ),
];
