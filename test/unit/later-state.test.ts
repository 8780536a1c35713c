/** State written by a newer Strata, after a downgrade or beside this one: a row for every file of machine state. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createCursors } from "../../layers/5-auto-memory/extraction/extraction-cursor.js";
import { createEdits } from "../../layers/7-across-agents/edits/edits.js";
import { parseAgentMessage, parseCursorLine } from "../../layers/7-across-agents/mail/agent-message.js";
import { createBudget } from "../../src/background/budget.js";
import { parseBudgetLine } from "../../src/background/budget-lines.js";
import { parseInstance } from "../../src/instances/instance.js";
import { parseLeases } from "../../src/instances/lease.js";
import { parseConflict } from "../../src/memory/conflict.js";
import { readLedgerLine } from "../../src/memory/store/ledger-line.js";
import { readDreamState } from "../../src/record/dream-state.js";
import { readJsonLines } from "../../src/record/json-lines.js";
import { keepLaterState } from "../../src/record/later-state.js";
import { parseSavingsRecord } from "../../src/record/savings.js";
import { parseLine } from "../../src/steering/context-requests.js";
import { createTrustRecord } from "../../src/trust/record.js";
import { parseDecisionBatch } from "../../src/view/decision-batch.js";
import { openDreamWorld, putMemory } from "../support/dream-world.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { PROJECT, STATE as USERS } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { identify } from "../support/fake-processes.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { user } from "../support/messages.js";
import { NOTES_FILE, openNotes, STORED_FILE } from "../support/notes.js";
import { defaults } from "../support/settings.js";

const STATE = ".opencode/strata/state";
const LATER = { v: 9, novelty: { deep: [1] } };
const TODAY = `${PROJECT}/${STATE}/background/2026-11-21.jsonl`;

const USERS_FILES = "owner candidates dropped checkpoint-<id> checkpoint-<id>.auto attached-<id>".split(" ");
const STATE_FILES =
  "dream entities leases breakers/ses_1 screen/ses_1.context pulse/ab screen/ses_1 extraction/ses_1 extraction/commands memory/internal/pending".split(
    " ",
  );
/** Documents: kept as they are, byte for byte. */
const documents: readonly (readonly [path: string, text: string])[] = [
  ...STATE_FILES.map((x) => [`${STATE}/${x}.json`, JSON.stringify(LATER)] as const),
  [`${STATE}/instances/ab.json`, JSON.stringify(LATER, null, 2)],
  [`${STATE}/memory/private/known.jsonl`, `${JSON.stringify({ version: "12.0.1", lines: 0 })}\n`],
  [".opencode/session-memory/ses_1.json", JSON.stringify({ ...LATER, v: undefined, version: 2 }, null, 1)],
  ...["prices", "session-lengths", "sessions"].map((x) => [`${STATE}/${x}.json`, '{"v":9}'] as const),
  ...USERS_FILES.map((x) => [`${USERS}/projects/x/${x}.json`, '{"v":9}'] as const),
];

const common = { id: "x", instance: "a", session: "s", at: 1, time: "t" };
const live = { ...LATER, ...common, directory: "/", started: "t", heartbeat: "t", sessions: [] };
const change = { ...LATER, ...common, at: "2026-11-21T09:00:00Z", by: "strata", key: "idea/one" };

/** Lines, and documents that are only read: what this version makes of one that a later one has written. */
type Reading = [path: string, handling: string, read: () => unknown, made: unknown];
const readings: readonly Reading[] = [
  [
    `${STATE}/background/<id>.jsonl`,
    "counts in full",
    () => parseBudgetLine({ ...LATER, kind: "reserved", id: "x", tokens: 199_999 }),
    expect.objectContaining({ tokens: 199_999 }),
  ],
  [
    `${STATE}/background/<id>.jsonl`,
    "what it does not say counts as all there is",
    () => parseBudgetLine({ ...LATER, kind: "charged" }),
    expect.objectContaining({ kind: "reserved", tokens: Number.POSITIVE_INFINITY }),
  ],
  [
    `${STATE}/decisions/<id>.jsonl`,
    "stands for the same result",
    () =>
      parseDecisionBatch({
        ...LATER,
        session: "s",
        layer: "l",
        decisions: [{ key: "k", outcome: "kept", more: 1 }],
      }),
    expect.objectContaining({ decisions: [expect.objectContaining({ key: "k" })] }),
  ],
  [
    `${STATE}/mail/<id>.jsonl`,
    "is a letter",
    () => parseAgentMessage({ ...LATER, ...common, from: "a", text: "hello" }),
    expect.objectContaining({ text: "hello" }),
  ],
  [
    `${STATE}/mail/<id>.cursor.jsonl`,
    "is not delivered again",
    () => parseCursorLine({ ...LATER, kind: "delivered", batch: "b" }),
    expect.objectContaining({ batch: "b" }),
  ],
  [
    `${STATE}/instances/<id>.json`,
    "is alive",
    () => parseInstance(JSON.stringify({ ...live, process: identify(7) })),
    expect.objectContaining({ id: "x" }),
  ],
  [
    `${STATE}/leases.json`,
    "holds what it holds",
    () =>
      parseLeases(
        JSON.stringify({
          ...LATER,
          leases: [{ item: "i", instance: "a", session: "s", sinceMs: 1, untilMs: 2 }],
        }),
      ),
    [expect.objectContaining({ item: "i" })],
  ],
  [
    ".opencode/strata/savings/<id>.jsonl",
    "counts",
    () => parseSavingsRecord({ ...LATER, ...common, layer: "l", event: "cut" }),
    expect.objectContaining({ event: "cut" }),
  ],
  ...["context-requests.jsonl", "context-requests.older.jsonl"].map((name): Reading => {
    const read = () => parseLine({ ...LATER, ...common, action: "drop", item: "r-1" });
    return [`projects/<id>/${name}`, "asks for the same", read, expect.objectContaining({ action: "drop" })];
  }),
  [
    ".opencode/memory/ledger/<id>.jsonl",
    "is a change",
    () => readLedgerLine({ ...change, path: "idea/one.md", operation: "x", before: null, after: "h" }, ""),
    expect.objectContaining({ kind: "line" }),
  ],
  [
    ".opencode/memory/ledger/<id>.jsonl",
    "that cannot be understood is told as what it is",
    () => readLedgerLine(change, ""),
    { kind: "problem", what: expect.stringContaining("has version 9, which a later Strata wrote") },
  ],
  [
    ".opencode/memory/conflicts/<id>.md",
    "is open",
    () =>
      parseConflict(
        `<!-- strata-conflict ${JSON.stringify({ ...LATER, found: "f", other: "o", standing: "s", title: "t", id: "idea/one" })} -->`,
      ),
    expect.objectContaining({ title: "t" }),
  ],
];

/** Nothing in them has a version. */
const unversioned = "owner memory/clone memory/uses lock key sessions.txt turns/now .corrupt .bin".split(" ");

const open = (path: string, text: string) => {
  const files = createMemoryFiles({ [path]: text });
  const log = createFakeLog();
  return { files, log, kept: keepLaterState(files, log) };
};

describe("a document of a newer version", () => {
  it.each(documents)("a newer version's document is never overwritten: %s", async (name, text) => {
    const path = name.startsWith("/") ? name : `${PROJECT}/${name}`;
    const { files, kept, log } = open(path, text);
    for (let n = 0; n < 2; n++)
      await expect(kept.writeWhole(path, "mine")).rejects.toMatchObject({ code: "ELATER" });
    expect(files.text(path)).toBe(text);
    expect(log.lines).toEqual([
      expect.stringMatching(/^warn state: .* is of version (9|2|12\.0\.1), written by a newer Strata/),
    ]);
    expect(log.lines[0]).toContain(path);
  });

  it("a document of a newer version is told from a current one, an incomplete one, and a foreign file", async () => {
    for (const [path, text] of [
      [`${STATE}/dream.json`, '{"v":1,"seen":["\\"v\\": 9"]}'],
      [`${STATE}/dream.json`, '{"v":9,'],
      [`${STATE}/memory/internal/known.jsonl`, '{"version":"0.0.9"}\n'],
      ["package.json", '{"version":2}'],
    ] as const) {
      const { files, kept } = open(`${PROJECT}/${path}`, text);
      await kept.writeWhole(`${PROJECT}/${path}`, "mine");
      expect(files.text(`${PROJECT}/${path}`)).toBe("mine");
    }
  });
});

describe("state of a newer version", () => {
  it.each(readings)("state of a newer version in %s %s", (_path, _handling, read, made) => {
    expect(read()).toEqual(made);
  });

  it("state of a newer version has a row here for every file of machine state", () => {
    const page = readFileSync(new URL("../../docs/files.md", import.meta.url), "utf8");
    const state = page.slice(page.indexOf("## Machine state"), page.indexOf("\nApart from these"));
    const names = [...state.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
    );
    const known = [...documents, ...readings].map(([path]) => path.split("/").slice(-2)[0] ?? "");
    const files = [...documents, ...readings].map(([path]) => path.split("/").at(-1) ?? "");
    const isKnown = (name: string): boolean => {
      const [folder = "", file = ""] = name.split("/").slice(-2);
      return (
        known.includes(folder) ||
        files.includes(file || folder) ||
        folder === "edits" ||
        unversioned.some((one) => name.endsWith(one) || name.includes(`/${one}/`))
      );
    };
    expect(names.filter((name) => !isKnown(name) && !name.endsWith(".lock"))).toEqual([]);
  });

  it("state of a newer version about trust removes trust, and gives none", async () => {
    const file = (name: string) => ({ name, hash: "h" });
    const lines = [
      { ...LATER, op: "own", files: [file("a")] },
      { v: 1, op: "accept", run: "r", at: "t", why: "w", files: [file("b")] },
      { ...LATER, op: "revoke", run: "r" },
      { ...LATER, op: "foreign", files: [file("c")], why: "agent" },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const record = createTrustRecord(createMemoryFiles({ "/u/trust.jsonl": text }), "/u/trust.jsonl");
    await record.readOn();
    expect(["a", "b"].map((name) => record.isOwn(file(name)))).toEqual([false, false]);
    expect(record.isDecided(file("c"))).toBe(true);
  });

  it("state of a newer version about edits warns of them", async () => {
    const path = "/e/2026-11-21.jsonl";
    const line = { ...LATER, kind: "edit", id: "y", path: "a.ts", at: MORNING, instance: "b", session: "s" };
    const files = createMemoryFiles({ [path]: `${JSON.stringify(line)}\n` });
    const edits = createEdits({ clock: createFakeClock(), files, folder: "/e", instance: "a" });
    const id = await edits.begin(["a.ts"], "ses_1");
    expect(await edits.findConflicts(id, new Set(["b"]))).toMatchObject([{ path: "a.ts" }]);
  });

  it("lines of a newer version are not damage: line numbers and version are reported separately", async () => {
    const files = createMemoryFiles({ "/x.jsonl": '{"v":9}\n{"v":1}\noops\n{"v":2}\n' });
    expect(await readJsonLines(files, "/x.jsonl", () => undefined)).toMatchObject({
      corruptLines: [2, 3],
      laterLines: [1, 4],
      laterVersion: 9,
    });
  });
});

describe("this version beside a newer one", () => {
  it.each([
    [{ kind: "reserved", id: "z", tokens: 199_999 }, "1 of 200,000 (background.dailyTokens) are left"],
    [{ kind: "reserved", id: "z", tokens: { most: 7 } }, "0 of 200,000 (background.dailyTokens) are left"],
    [{ kind: "charged" }, "0 of 200,000 (background.dailyTokens) are left"],
  ])(
    "this version beside a newer one spends nothing beyond what that one has counted: %j",
    async (line, left) => {
      const files = createMemoryFiles({ [TODAY]: `${JSON.stringify({ ...LATER, ...line })}\n` });
      const log = createFakeLog();
      const folder = `${PROJECT}/${STATE}/background`;
      const config = defaults.background;
      const budget = createBudget({ config, clock: createFakeClock(), files, log, folder, instance: "a" });
      const reservation = await budget.reserve({ purpose: "notes", session: "s", tokens: 2 });
      expect(reservation).toMatchObject({ kind: "refused", why: expect.stringContaining(left) });
      expect((await budget.today())?.tokens).toBeGreaterThanOrEqual(199_999);
      expect(log.lines).toEqual([expect.stringContaining("from line 1 on are of version 9")]);
    },
  );

  it("this version beside a newer one leaves dreams to that one, and says so", async () => {
    const path = `${PROJECT}/${STATE}/dream.json`;
    const world = openDreamWorld();
    const text = JSON.stringify(LATER);
    world.files.contents.set(path, Buffer.from(text));
    for (const name of ["one", "two"]) putMemory(world, `idea/${name}`, "The same words twice.");
    const before = world.texts();
    expect(await world.dream()).toMatchObject({
      kind: "refused",
      why: expect.stringContaining("is of version 9"),
    });
    expect([world.files.text(path), world.texts()]).toEqual([text, before]);
    expect(await readDreamState(world.files, path)).toMatchObject({ later: expect.any(String) });
  });

  it("this version beside a newer one keeps the notes of a session in memory, and touches neither of that one's files", async () => {
    const text = JSON.stringify({ version: 2, ledger: "of another kind" });
    const world = openNotes();
    world.files.contents.set(STORED_FILE, Buffer.from(text));
    world.files.contents.set(NOTES_FILE, Buffer.from("# Notes of a later version\n"));
    await world.tell(user("port the importer"));
    await world.tell(user("port the importer"), user("and the exporter"));
    expect(world.files.text(STORED_FILE)).toBe(text);
    expect(world.page()).toBe("# Notes of a later version\n");
    expect(world.notes.facts("ses_1")).toBeDefined();
    expect(world.logged.filter((line) => line.includes("is of version 2"))).toHaveLength(1);
  });

  it("this version beside a newer one extracts no memories from a session whose cursor is that one's", async () => {
    const text = JSON.stringify({ ...LATER, untilMs: 1, callsUntilMs: 1 });
    const files = createMemoryFiles({ "/c/ses_1.json": text });
    const log = createFakeLog();
    const cursors = createCursors({ files, folder: "/c", log });
    await cursors.begin("ses_1", { untilMs: 5, callsUntilMs: 5 });
    expect(await cursors.read("ses_1")).toMatchObject({ isChild: true });
    expect(await cursors.listOpen()).toEqual([]);
    expect(files.text("/c/ses_1.json")).toBe(text);
    expect(log.lines).toEqual([expect.stringContaining("/c/ses_1.json is of version 9")]);
  });
});
