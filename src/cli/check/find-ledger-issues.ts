/** Damage to a ledger, secrets in it, and files that were changed without it. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DAY_MS } from "../../base/days.js";
import { hashOf } from "../../base/hash.js";
import { parseJson } from "../../base/records.js";
import type { Files } from "../../io/files.js";
import { findPrivateID } from "../../memory/draft.js";
import { formatPrefix } from "../../memory/id.js";
import type { Memory } from "../../memory/memory.js";
import { HIDDEN_LEDGER, LEDGER } from "../../memory/path.js";
import { isNeighbours } from "../../memory/store/ledger.js";
import { type LedgerLine, readLedgerLine } from "../../memory/store/ledger-line.js";
import { listItself, readTextWithin } from "../../memory/store/obstacle.js";
import type { ShelfPlace } from "../../memory/store/places.js";
import type { Project } from "../../operations/project.js";
import { findSecrets } from "../../text/secrets/secrets.js";
import type { CheckOptions, Issue } from "./issue.js";

export interface LedgerOptions extends CheckOptions {
  /** What the store would write: lines that it would add are changes made by hand. */
  dry: Files;
  /** Archived ones too. */
  memories: readonly Memory[];
}

const APPEND_ONLY = "restore the file from git, or remove the line; the memories themselves are intact";
const REVOKE = "remove it; if it was committed, revoke it as well, because git keeps old versions";

export async function findLedgerIssues(
  { cli: { clock, files } }: Project,
  place: ShelfPlace,
  { days, dry, isArchiveDue, memories }: LedgerOptions,
): Promise<Issue[]> {
  const issues: Issue[] = [];
  const lastMs = new Map<string, number>();
  for (const ledger of place.keepsOut ? [LEDGER, HIDDEN_LEDGER] : [LEDGER]) {
    const folder = join(place.folder, ledger);
    for (const name of (await listItself(dry, folder)).filter((one) => one.endsWith(".jsonl"))) {
      const text = (await readTextWithin(files, folder, name)) ?? "";
      const wet = (await readTextWithin(dry, folder, name)) ?? "";
      const file = join(folder, name);
      const isShared = place.sensitivity === "internal" && ledger === LEDGER;
      const { faults, lines } = readLines(text, { file, isShared, prefix: formatPrefix(place) });
      issues.push(...faults);
      if (wet.startsWith(text)) issues.push(...findHandEdits(wet.slice(text.length), place));
      for (const { at, key } of lines) lastMs.set(key, Math.max(lastMs.get(key) ?? 0, Date.parse(at)));
    }
  }
  if (!isArchiveDue || place.scope !== "project") return issues;
  const nowMs = clock.now();
  const run = randomUUID().slice(0, 8);
  for (const { id, pinned, sensitivity, scope, status } of memories) {
    const isHere = scope === place.scope && sensitivity === place.sensitivity;
    // Without a line of the ledger nobody knows when it was put aside: then it is not old.
    const isOld = nowMs - (lastMs.get(id) ?? nowMs) > days * DAY_MS;
    if (isHere && status === "archived" && !pinned && isOld) issues.push(isLongArchived(place, id, run));
  }
  return issues;
}

const isLongArchived = ({ folder }: ShelfPlace, id: string, run: string): Issue => ({
  level: "note",
  file: join(folder, "archive", `${id.replace(/^private\//, "")}.md`),
  what: "a memory that was archived long ago; the ledger keeps its words",
  todo: "nothing; it only takes space",
  fix: {
    says: "remove it",
    isAsked: true,
    async run(memories) {
      const written = await memories.discard(id, { operation: "gc", run });
      if (written.kind === "refused") throw new Error(written.why);
    },
  },
});

function readLines(
  text: string,
  { file, isShared, prefix }: { file: string; isShared: boolean; prefix: string },
): { lines: LedgerLine[]; faults: Issue[] } {
  const lines: LedgerLine[] = [];
  const faults: Issue[] = [];
  const add = (number: number, what: string, todo = APPEND_ONLY): void => {
    faults.push({ level: "problem", file, what: `line ${number} ${what}`, todo });
  };
  for (const [n, raw] of text.split("\n").entries()) {
    const value = parseJson(raw);
    if (raw.trim() === "" || (!isShared && isNeighbours(value, prefix))) continue;
    const reading = readLedgerLine(value, prefix);
    if (reading.kind === "line") lines.push(reading.line);
    else add(n + 1, reading.what);
    const { after, contents, key } = reading.kind === "line" ? reading.line : {};
    if (contents !== undefined && hashOf(contents) !== after)
      add(n + 1, `(${key}) was changed after it was written: its hash does not match`);
    const [secret] = findSecrets(contents ?? raw);
    if (secret) add(n + 1, `holds a secret (${secret.name})`, REVOKE);
    const hidden = isShared ? findPrivateID(contents ?? raw) : undefined;
    if (hidden) add(n + 1, `names the private memory ${hidden} and may be committed`, "remove the name");
  }
  return { lines, faults };
}

/** From the lines that the store would add for what a person has changed. */
function findHandEdits(added: string, place: ShelfPlace): Issue[] {
  return added.split("\n").flatMap((raw) => {
    const reading = readLedgerLine(parseJson(raw), formatPrefix(place));
    if (reading.kind !== "line" || reading.line.by !== "person") return [];
    const { after, before, path } = reading.line;
    const how = before === null ? "added" : after === null ? "removed" : "edited";
    return [
      {
        ...{ level: "note", file: join(place.folder, path), what: `it was ${how} by hand` },
        todo: "nothing if it was intended: the next use records it",
        fix: { says: "record that in the ledger" },
      },
    ];
  });
}
