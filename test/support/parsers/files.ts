/** Parsers of files. */

import { addDream } from "../../../layers/6-dream/page.js";
import { formatDelivery, parseInboxLine } from "../../../layers/7-across-agents/mail/mail.js";
import { parseEntry } from "../../../layers/errors/error-log.js";
import { isRecord, parseJson } from "../../../src/base/shape.js";
import { planAdd, planRemove } from "../../../src/cli/init/edit-plugins.js";
import { checkSettings } from "../../../src/config/check.js";
import { listPlugins, parseConfig, parsePackageName } from "../../../src/config/plugin-entries.js";
import { parseLog } from "../../../src/inspector/views.js";
import { parseToken } from "../../../src/io/locks.js";
import { isCandidate } from "../../../src/memory/candidates/candidate-store.js";
import { parseFront, parseMemoryFile, readPage } from "../../../src/memory/memory-file.js";
import { parsePastLines } from "../../../src/memory/search/past-notes.js";
import { parseConflict, readOtherVersion } from "../../../src/memory/store/conflict-log.js";
import { parsePending } from "../../../src/memory/store/journal.js";
import { readLedgerLine } from "../../../src/memory/store/ledger.js";
import { splitLines } from "../../../src/memory/store/receipt.js";
import { parseCheckpoint } from "../../../src/notes/checkpoints/checkpoint.js";
import { mergePage } from "../../../src/notes/merge.js";
import { readNotes } from "../../../src/notes/session-files.js";
import { parseStored } from "../../../src/notes/stored.js";
import { planRules } from "../../../src/project/folders.js";
import { parseInstance, parseLeases } from "../../../src/project/instances.js";
import { readScreen } from "../../../src/tui/screen.js";
import { MORNING } from "../fake-clock.js";
import { PROJECT } from "../fake-host.js";
import { createMemoryFiles } from "../memory-files.js";
import { settings } from "../settings.js";

import {
  bytes,
  CONFIG,
  emptyStored,
  isAnything,
  isKind,
  isList,
  isOr,
  isText,
  isTruth,
  LEDGER,
  MEMORY,
  NOTES,
  type Parser,
  place,
  row,
  texts,
} from "./parser.js";

export const files: readonly Parser[] = [
  row(
    "memory file",
    (text) => parseMemoryFile(bytes(text), place),
    isKind("memory", "problem"),
    MEMORY,
    "plain text\n",
  ),
  row("frontmatter", (text) => readPage(text), isOr(isRecord), MEMORY),
  row("YAML of frontmatter", (text) => parseFront(text), isRecord, MEMORY.split("---\n")[1] ?? ""),
  row("ledger line", (text) => readLedgerLine(parseJson(text), ""), isKind("line", "problem"), LEDGER),
  row("shared ledger", (text) => splitLines(text), isAnything, `${LEDGER}\n${LEDGER}\n`),
  row(
    "pending change",
    (text) => parsePending(text, ""),
    isAnything,
    JSON.stringify({ ledger: { "2026-11-abcdef01.jsonl": [LEDGER] }, steps: [JSON.parse(LEDGER)] }),
  ),
  row(
    "conflict record",
    (text) => [parseConflict(text), readOtherVersion(text)],
    isList(isAnything),
    `<!-- strata-conflict {"v":1,"id":"decision/x","title":"t","standing":"a","other":"b","found":"2026"} -->\n# Two versions\n\n## The other version: \`x\`\n\nold text\n`,
  ),
  row(
    "dreams page",
    (text) =>
      addDream(text, {
        id: "d1",
        time: "2026-11-21T09:00:00.000Z",
        changes: [],
        moves: [],
        refused: [text],
        usedModel: true,
      } as never),
    isText,
    "# Dreams\n\nx\n\n## 2026-11-21 09:00 d0\n- merged a into b\n",
  ),
  row(
    "session notes",
    async (text) => {
      const notes = await readNotes(createMemoryFiles({ "/notes.md": text }), "/notes.md");
      return "text" in notes
        ? mergePage(emptyStored, notes.text, { project: PROJECT, sessionID: "ses_1" })
        : notes;
    },
    isRecord,
    NOTES,
  ),
  row("notes' record", (text) => parseStored(text), isOr(isRecord), JSON.stringify(emptyStored)),
  row("past session's notes", (text) => parsePastLines(text), texts, NOTES),
  row(
    "checkpoint",
    (text) => parseCheckpoint(text),
    isOr(isRecord),
    '{"v":1,"id":"cp-0123456","at":1,"sessionID":"ses_1","note":"x","files":[]}',
  ),
  row(
    "error log line",
    (text) => parseEntry(text),
    isOr(isRecord),
    "2026-11-21T09:00:00Z  failed  bash  attempt 1  npm test  Missing script  ses_1  abc def ghi",
  ),
  row(
    "log",
    // As much as the inspector reads.
    (text) => parseLog(text.slice(-256 * 1024)),
    isAnything,
    "2026-11-21T09:00:00.000Z warn dream: it failed\n2026-11-21T09:00:01.000Z info x: y\n",
  ),
  row(
    "instance",
    (text) => parseInstance(text),
    isOr(isRecord),
    '{"v":1,"id":"i1","process":{"id":1,"startedAt":"1"},"sessions":[{"id":"ses_1","goal":"x"}],"at":1}',
  ),
  row(
    "leases",
    (text) => parseLeases(text),
    isList(isRecord),
    '{"v":1,"leases":[{"item":"src/a.ts","instance":"i","session":"s","untilMs":1,"why":"w"}]}',
  ),
  row(
    "lock",
    (text) => parseToken(text),
    isOr(isRecord),
    '{"id":"a-1","instance":"i","since":"2026","process":{"id":1,"startedAt":"x"}}',
  ),
  row(
    "inbox line",
    (text) => parseInboxLine(parseJson(text)),
    isOr(isRecord),
    '{"v":1,"id":"n-1","from":"ses_1","instance":"i","text":"hello","at":1}',
  ),
  row(
    "mail",
    (text) => {
      const line = { v: 1, id: "n-1", from: "ses_1", instance: "i", text, at: MORNING };
      return formatDelivery([parseInboxLine(line) ?? []].flat() as never);
    },
    isText,
    "hello\n--- n-2 from ses_2\n[Strata] x",
  ),
  row(
    "candidate",
    (text) => isCandidate(parseJson(text)),
    isTruth,
    '{"id":"c","type":"directive","when":[],"worth":1,"said":[{"session":"s","message":"m","saidMs":1,"title":"t","text":"x"}],"offeredMs":1}',
  ),
  row(
    "settings of OpenCode",
    (text) => parseConfig(text),
    (value) => isText(value) || isRecord(value),
    CONFIG,
  ),
  row(
    "settings edited",
    (text) => [
      planAdd(text, { spec: "opencode-strata", list: "plugin", schema: "s" }),
      planRemove(text, (spec) => spec.startsWith("opencode-strata")),
    ],
    isList(isRecord),
    CONFIG,
  ),
  row(
    "own settings",
    (text) =>
      checkSettings(
        settings,
        [{ file: "strata.json", origin: "project", prefix: "", settings: parseJson(text) } as never],
        "u",
      ),
    isRecord,
    '{"enabled":true,"recall":{"limit":1e99},"__proto__":{"x":1},"toolResults":{"perTool":{"bash":5}}}',
  ),
  row(
    "plugin entries",
    (text) => listPlugins((parseJson(text) as never) ?? {}).map(({ spec }) => parsePackageName(spec)),
    texts,
    '{"plugin":["opencode-strata@1.2.3",["@a/b",{}]],"plugins":[]}',
  ),
  row(
    "rules of .gitignore",
    (text) => planRules(text, ["*", "!x"]),
    texts,
    "node_modules\n*.log\n!keep.log\n",
  ),
  row(
    "screen's file",
    (text) => readScreen(text),
    isOr(isRecord),
    '{"v":1,"session":"s","kinds":{},"now":1}',
  ),
];
