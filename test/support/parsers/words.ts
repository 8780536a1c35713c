/** Parsers of what users and agents type. */

import { compilePattern, findLineIDs, takeApart } from "../../../layers/5-auto-memory/injection/line.js";
import { isTelling } from "../../../layers/5-auto-memory/judge/model-judge.js";
import { findOrder } from "../../../layers/5-auto-memory/said/find-order.js";
import {
  findEnd,
  findSaid,
  findVerbatim,
  readAgreed,
  saysEverywhere,
} from "../../../layers/5-auto-memory/said/find-said.js";
import { findWhen, formatTitle } from "../../../layers/5-auto-memory/words/describe.js";
import { findMark, planRemembered } from "../../../layers/5-auto-memory/words/marked.js";
import { readStatements } from "../../../layers/5-auto-memory/words/statements.js";
import { weighShape } from "../../../layers/5-auto-memory/words/worth.js";
import { formatTopic, isPath, overlaps } from "../../../layers/7-across-agents/leases/leases.js";
import { isFailedCommand, normalizeCommand } from "../../../layers/errors/ended-call.js";
import { isCorrection } from "../../../layers/errors/failures.js";
import { fit, wrap } from "../../../src/base/columns.js";
import { compileGlob } from "../../../src/base/glob.js";
import { toPrintable } from "../../../src/base/printable.js";
import { isRecord } from "../../../src/base/shape.js";
import { toCode, toLine } from "../../../src/base/text.js";
import { estimateTextTokens } from "../../../src/context/context-size.js";
import { findProject, readSince } from "../../../src/conversations/quotes.js";
import { checkDraft } from "../../../src/memory/gate/gate.js";
import { formatInput, mayShowSecrets } from "../../../src/messages/call.js";
import {
  findFindings,
  findLookedAt,
  findNextStep,
  findReasons,
  findRules,
  isLooking,
} from "../../../src/notes/wording.js";
import { splitTerms } from "../../../src/recall/terms.js";
import { compareStatements, readMeaning, readWording } from "../../../src/text/compare.js";
import { findDateTerms, readDate, withAbsoluteDates } from "../../../src/text/dates.js";
import { findEntities, parseEntityName } from "../../../src/text/entities.js";
import { languageOf } from "../../../src/text/language.js";
import { redactSecrets, toSafeLine } from "../../../src/text/secrets/secrets.js";
import { readOwnLines, splitSentences } from "../../../src/text/sentences.js";
import { findUnsupported, isDecidedAlike, readNames, readStems, readWords } from "../../../src/text/words.js";
import { readSubmitted } from "../../../src/tui/page.js";
import { MORNING } from "../fake-clock.js";
import { PROJECT } from "../fake-host.js";

import {
  bash,
  COMMAND,
  isAnything,
  isList,
  isOr,
  isText,
  isTruth,
  known,
  OUTPUT,
  type Parser,
  row,
  SAID,
  SECRETS,
  texts,
} from "./parser.js";

const message = (text: string) => ({ id: "msg_1", text, atMs: MORNING, asked: text });
export const words: readonly Parser[] = [
  row(
    "statements",
    (text) => {
      const all = readStatements(message(text));
      return [all.map((one) => findMark(one, all)), weighShape({ statements: all, characters: text.length })];
    },
    isList(isAnything),
    SAID,
  ),
  row(
    "said",
    (text) => [
      findSaid("the port is 8080", [message(text)]),
      findVerbatim("use 8080, not 3000", [message(text)]),
    ],
    isList(isAnything),
    SAID,
  ),
  row(
    "what is to be found said",
    // As much as the agent's tool takes.
    (text) => [
      findSaid(text.slice(0, 10_000), [message(SAID)]),
      findVerbatim(text.slice(0, 10_000), [message(SAID)]),
    ],
    isList(isAnything),
    SAID,
  ),
  row(
    "order",
    (text) => [
      findOrder({
        memory: known[0] as never,
        action: "archive",
        others: known.slice(1),
        messages: [message(text)],
      }),
      readAgreed(message(text)),
      saysEverywhere(text.slice(0, 10_000)),
      findEnd(text.slice(0, 10_000), "2026-12-01", MORNING),
    ],
    isList(isAnything),
    "Forget that the server listens on 8080, yes. In all projects. Until Friday.",
    SAID,
  ),
  row(
    "words to be remembered",
    (text) => [planRemembered(text)],
    isList(isAnything),
    "directive: always use pnpm",
    SAID,
  ),
  row(
    "title and triggers of a rule",
    (text) => [formatTitle(text), ...findWhen(text)],
    texts,
    "Before `git push`, run `npm test` in src/a.ts (always; see docs).",
    SAID,
  ),
  row(
    "draft",
    (text) =>
      checkDraft({ type: "knowledge", content: text, title: text, provenance: { by: "user" } } as never),
    isRecord,
    SAID,
    SECRETS,
  ),
  row(
    "wording of notes",
    (text) => [findFindings(text), findNextStep(text), findRules(text), findReasons(text)],
    isList(isAnything),
    `${SAID}\nNext: run the tests. Root cause: the port.`,
  ),
  row("sentences", (text) => [...splitSentences(text), ...readOwnLines(text)], isList(isAnything), SAID),
  row(
    "comparison",
    (text) => [compareStatements(text, SAID), readWording(text), readMeaning(text)],
    isList(isAnything),
    SAID,
  ),
  row(
    "evidence",
    (text) => [findUnsupported(text, SAID), findUnsupported(SAID, text), isDecidedAlike(text, SAID)],
    isList(isAnything),
    SAID,
  ),
  row("terms", (text) => splitTerms(text), texts, SAID, "端口应该是八千 parseIt"),
  row("words", (text) => [readWords(text), readStems(text), readNames(text)], isList(isAnything), SAID),
  row("language", (text) => languageOf(text), isRecord, SAID, "das ist nicht gut"),
  row(
    "tokens",
    (text) => estimateTextTokens(text),
    (value) => Number.isFinite(value),
    SAID,
    OUTPUT,
  ),
  row(
    "dates",
    (text) => [withAbsoluteDates(text, MORNING), ...findDateTerms(text, MORNING)],
    texts,
    "yesterday, next Friday, in 3 weeks, on 2026-11-21, 上周, am Montag",
  ),
  row(
    "a date",
    (text) => [readDate(text), readSince(text, MORNING)],
    isList(isOr(Number.isFinite)),
    "2026-11-02",
    "8 May 2026",
    "2 weeks ago",
    "999999999 y",
  ),
  row(
    "entities",
    (text) => [...findEntities(text), parseEntityName(text)],
    isList(isAnything),
    "github.com/acme/shop#34 and acme/shop!5 &7 #1 https://github.com/a/b/issues/3",
  ),
  row("secrets", (text) => redactSecrets(text), isRecord, SECRETS),
  row(
    "safe line",
    (text) => [toSafeLine(text, 200), toLine(text, 200), toCode(text, 200)],
    texts,
    SECRETS,
    OUTPUT,
  ),
  row(
    "command",
    (text) => [
      isTelling(text),
      isLooking(text),
      isFailedCommand({ command: text, exit: 1, output: "x" }),
      mayShowSecrets(bash(text, "")),
    ],
    isList(isTruth),
    COMMAND,
    "toString a.txt",
  ),
  row(
    "command on one line",
    (text) => [normalizeCommand(text, PROJECT), formatInput(bash(text, ""), 200), ...findLookedAt(text)],
    texts,
    COMMAND,
  ),
  row("corrected command", (text) => isCorrection("bash", text, COMMAND), isTruth, COMMAND),
  row(
    "trigger",
    (text) => compilePattern(text)?.(takeApart({ command: COMMAND })) ?? false,
    isTruth,
    "git push*",
    "src/**/*.{ts,js}",
    "npm",
  ),
  row(
    "what triggers",
    (text) => compilePattern("src/**/*.ts")?.(takeApart({ command: text })) ?? false,
    isTruth,
    COMMAND,
  ),
  row("glob", (text) => compileGlob(text)("src/a/b/c.test.ts"), isTruth, "src/**/{a,b}*/[!x-z]?.ts"),
  row(
    "leased item",
    (text) => [isPath(text), overlaps(text, "src/**"), formatTopic(text)],
    isList(isAnything),
    "src/a.ts",
    "the release",
  ),
  row(
    "ids in a text",
    (text) => findLineIDs(text),
    texts,
    "- [decision/port-8080] The port is 8080 (2 days ago)",
  ),
  row("submitted page", (text) => readSubmitted(text), isOr(isRecord), "/memory port 8080"),
  row("text in columns", (text) => [fit(text, 60), ...wrap(text, 60, 5)], texts, SAID, "端口👩‍👩‍👧‍👦e\u0301"),
  row(
    "text in a terminal",
    (text) => toPrintable(text, { withStyles: true }),
    isText,
    OUTPUT,
    "\u001b]8;;x\u0007y\u001b]8;;\u0007\u202e",
  ),
  row("project of a question", (text) => findProject(text, [PROJECT], PROJECT), isText, PROJECT),
];
