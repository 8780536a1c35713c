/** What 0.1.0 has written on disk: every later version must read these bytes, or say in the changelog that it does not. */
import { expect, it } from "vitest";
import { createCursors } from "../../layers/5-auto-memory/extract.js";
import { parseInboxLine } from "../../layers/7-across-agents/mail/mail.js";
import { parseJson } from "../../src/base/shape.js";
import { parseDecisionBatch } from "../../src/context/decision-batch.js";
import { parseSavingsRecord } from "../../src/costs/savings.js";
import { isCandidate } from "../../src/memory/candidates/candidate-store.js";
import { parseMemoryFile } from "../../src/memory/memory-file.js";
import { parseConflict } from "../../src/memory/store/conflict-log.js";
import { readLedgerLine } from "../../src/memory/store/ledger.js";
import { createTrustRecord } from "../../src/memory/trust/record.js";
import { parseBudgetLine } from "../../src/models/budget.js";
import { parseCheckpoint } from "../../src/notes/checkpoints/checkpoint.js";
import { parseStored } from "../../src/notes/stored.js";
import { readDreamState } from "../../src/project/dream-state.js";
import { parseInstance, parseLeases } from "../../src/project/instances.js";
import { parseLine } from "../../src/status/context-requests.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";

const log = createFakeLog();
const json = (read: (value: unknown) => unknown) => (text: string) => read(parseJson(text));
const NOTES =
  '{"version":1,"hasNoSecrets":true,"ledger":{"requests":[{"key":"m","at":1,"text":"port it","length":7,"files":[]}],"droppedRequests":0,"droppedUntil":null,"rules":[],"reasons":[],"answers":[],"files":[],"commands":[],"failures":[],"skills":[],"subagents":[],"calls":{"ended":0,"keys":[],"countedUntil":null}},"written":{"Current State":[{"id":"a","text":"- a"}]},"removed":["b"]}';

/** A file, its bytes, how it is read, and what of it must be found. */
type Row = [path: string, text: string, read: (text: string) => unknown, found: object];
const rows: readonly Row[] = [
  [
    ".opencode/memory/idea/one.md",
    "---\nid: idea/one\ntype: idea\ntitle: One\ncreated: 2026-11-21T09:00:00.000Z\nupdated: 2026-11-21T09:00:00.000Z\n---\n\nThe words.\n",
    (text) =>
      parseMemoryFile(Buffer.from(text), {
        type: "idea",
        name: "one",
        scope: "project",
        sensitivity: "internal",
        isArchived: false,
        modifiedMs: 0,
      }),
    { kind: "memory", memory: { id: "idea/one", content: "The words." } },
  ],
  [
    ".opencode/memory/ledger/<id>.jsonl",
    '{"v":1,"id":"x","at":"2026-11-21T09:00:00.000Z","instance":"a","by":"strata","operation":"remember","key":"idea/one","path":"idea/one.md","before":null,"after":"h"}',
    json((value) => readLedgerLine(value, "")),
    { kind: "line", line: { path: "idea/one.md" } },
  ],
  [
    ".opencode/memory/conflicts/<id>.md",
    '<!-- strata-conflict {"v":1,"id":"idea/one","title":"t","standing":"s","other":"o","found":"f"} -->\n',
    parseConflict,
    { id: "idea/one", title: "t" },
  ],
  [
    ".opencode/session-memory/<session>.json",
    NOTES,
    parseStored,
    { ledger: { requests: [{ text: "port it" }] }, removed: ["b"] },
  ],
  [
    ".opencode/strata/savings/<session>.jsonl",
    '{"v":1,"id":"x","time":"t","instance":"a","session":"s","layer":"l","event":"cut","net":7}',
    json(parseSavingsRecord),
    { event: "cut", net: 7 },
  ],
  [
    ".opencode/strata/state/decisions/<day>.jsonl",
    '{"v":1,"session":"s","layer":"l","at":1,"decisions":[{"key":"k","outcome":"replaced","text":"t","file":"f"}]}',
    json(parseDecisionBatch),
    { decisions: [{ key: "k", text: "t" }] },
  ],
  [
    ".opencode/strata/state/background/<day>.jsonl",
    '{"v":1,"kind":"reserved","id":"x","instance":"a","time":"t","purpose":"p","session":"s","tokens":9}',
    json(parseBudgetLine),
    { tokens: 9 },
  ],
  [
    ".opencode/strata/state/mail/<id>.jsonl",
    '{"v":1,"id":"x","from":"a","instance":"i","text":"hello","at":1}',
    json(parseInboxLine),
    { text: "hello" },
  ],
  [
    ".opencode/strata/state/instances/<id>.json",
    '{"v":1,"id":"x","process":{"id":7,"start":"1","host":"h","machine":"m"},"directory":"/","started":"t","heartbeat":"t","sessions":[]}',
    parseInstance,
    { id: "x" },
  ],
  [
    ".opencode/strata/state/leases.json",
    '{"v":1,"leases":[{"item":"i","instance":"a","session":"s","sinceMs":1,"untilMs":2}]}',
    parseLeases,
    [{ item: "i" }],
  ],
  [
    ".opencode/strata/state/dream.json",
    '{"v":1,"failures":0,"modelFailures":0,"seen":["a"],"told":[],"spared":["idea/one"],"days":["2026-11-21"]}',
    (text) => readDreamState(createMemoryFiles({ "/d": text }), "/d"),
    { spared: ["idea/one"], days: ["2026-11-21"] },
  ],
  [
    ".opencode/strata/state/extraction/<session>.json",
    '{"v":1,"untilMs":5,"callsUntilMs":4}',
    (text) => createCursors({ files: createMemoryFiles({ "/c/s.json": text }), folder: "/c", log }).read("s"),
    { untilMs: 5 },
  ],
  [
    "projects/<id>/candidates.json",
    '{"v":1,"waiting":[{"id":"c","type":"idea","when":[],"worth":1,"said":[],"offeredMs":0}]}',
    (text) => JSON.parse(text).waiting.filter(isCandidate),
    [{ id: "c" }],
  ],
  [
    "projects/<id>/checkpoint-<id>.json",
    `{"v":1,"id":"cp-0123456","sessionID":"s","at":"t","notesPath":"/n","occasion":"asked","files":[],"memories":[],"removed":[],"ledger":${JSON.stringify(JSON.parse(NOTES).ledger)}}`,
    parseCheckpoint,
    { id: "cp-0123456" },
  ],
  [
    "projects/<id>/context-requests.jsonl",
    '{"v":1,"id":"x","time":"t","session":"s","action":"drop","item":"r-1"}',
    json(parseLine),
    { item: "r-1" },
  ],
  [
    "projects/<id>/trust.jsonl",
    '{"v":1,"op":"own","files":[{"name":"a","hash":"h"}]}\n',
    async (text) => {
      const record = createTrustRecord(createMemoryFiles({ "/t": text }), "/t");
      await record.readOn();
      return { isOwn: record.isOwn("h") };
    },
    { isOwn: true },
  ],
];

it.each(rows)("what 0.1.0 wrote to %s is read", async (_path, text, read, found) => {
  expect(await read(text)).toMatchObject(found);
  expect(log.lines).toEqual([]);
});
