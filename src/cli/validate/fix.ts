/** Carries out fixes, in the one order in which no step undoes another. */

import { dirname, join } from "node:path";
import { formatError } from "../../error.js";
import { hideFromGit } from "../../folders.js";
import type { Locks } from "../../lock/locks.js";
import { formatPrefix } from "../../memory/id.js";
import { createSecretGate } from "../../memory/secret-gate.js";
import { createIndexWriter } from "../../memory/store/index-writer.js";
import { openKeepOut } from "../../memory/store/keep-out.js";
import { readPending, setPendingAside } from "../../memory/store/pending.js";
import type { ShelfPlace } from "../../memory/store/places.js";
import { createShelf } from "../../memory/store/shelf.js";
import { createUses } from "../../memory/store/uses.js";
import { createCliLog } from "../log.js";
import { openLocks } from "../open-locks.js";
import { planKeepOut, withMemories } from "../open-memories.js";
import { createProgress } from "../progress.js";
import type { Project } from "../project.js";
import type { Fix, Issue } from "./issue.js";

export interface FixResult {
  fix: Fix;
  /** Why it failed; absent if it did not. */
  failure?: string;
}

const ORDER: readonly Fix["kind"][] = ["unlock", "remove", "hide", "set aside", "settle", "archive", "index"];
/** Named in the ledger. */
const INSTANCE = "cli-optimize";

/** The fixes of these issues, each once, in order. Pure. */
export function planFixes(issues: readonly Issue[]): Fix[] {
  const steps = new Map<string, Fix>();
  for (const fix of issues.flatMap(({ fixes = [] }) => fixes)) steps.set(nameStep(fix), fix);
  return [...steps.values()].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

function nameStep(fix: Fix): string {
  if (fix.kind === "settle" || fix.kind === "index") return `${fix.kind} ${fix.place.folder}`;
  return `${fix.kind} ${fix.kind === "archive" ? fix.id : fix.path}`;
}

/** Carries out these steps and no others. A step that fails does not stop the rest. */
export async function fixAll(project: Project, steps: readonly Fix[]): Promise<FixResult[]> {
  const progress = createProgress(project.cli, "Repairing");
  const fixOne = createFixing(project, openLocks(project, INSTANCE));
  const results: FixResult[] = [];
  for (const [n, fix] of steps.entries()) {
    const failure = await fixOne(fix).catch(formatError);
    results.push({ fix, ...(failure !== undefined && { failure }) });
    progress.step(n + 1, steps.length);
  }
  progress.end();
  return results;
}

/** Carries out one step; returns why if it could not be done. */
function createFixing(project: Project, locks: Locks): (fix: Fix) => Promise<string | undefined> {
  const { clock, files } = project.cli;
  const complaints: string[] = [];
  const log = createCliLog((message) => complaints.push(message));
  const common = { clock, files, log, locks };

  return async (fix) => {
    complaints.length = 0;
    if (fix.kind === "unlock") await locks.withLock(fix.path, async () => {}, { waitMs: 0 });
    else if (fix.kind === "remove") await remove(fix);
    else if (fix.kind === "set aside") await setAside(fix);
    else if (fix.kind === "hide") await hideFromGit(files, dirname(fix.path), fix.rules);
    else if (fix.kind === "settle") await (await openShelf(fix.place)).scan();
    else if (fix.kind === "archive") return archive(project, fix.id);
    else await writeIndex(fix.place);
    return complaints.length === 0 ? undefined : complaints.join("; ");
  };

  async function openShelf(place: ShelfPlace) {
    const keepOut = openKeepOut({ files, ...(await planKeepOut(project)) }, place);
    return createShelf({ ...common, ...place, keepOut, instance: INSTANCE, gate: createSecretGate(clock) });
  }

  /** With both locks of the folder held, nobody is writing there. */
  async function remove({ modifiedMs, path, place }: Fix & { kind: "remove" }): Promise<void> {
    await locks.withLock(join(place.state, "lock"), () =>
      locks.withLock(join(place.state, "index.lock"), async () => {
        const stat = await files.statItself(path);
        const hasChanged = !Number.isNaN(modifiedMs) && stat?.modifiedMs !== modifiedMs;
        if (stat?.kind === "file" && !hasChanged) await files.remove(path);
        else if (stat) complaints.push(`${path} has changed since and was not removed`);
      }),
    );
  }

  async function setAside({ path, place }: Fix & { kind: "set aside" }): Promise<void> {
    await locks.withLock(join(place.state, "lock"), async () => {
      const reading = await readPending(files, path, formatPrefix(place));
      if (reading?.kind === "refused") await setPendingAside(files, path);
    });
  }

  async function writeIndex(place: ShelfPlace): Promise<void> {
    // The counts of use rank the index.
    const uses = createUses({
      clock,
      files,
      log,
      folder: join(project.folders.memoryState, "uses"),
    });
    await uses.load();
    const { config } = await project.settings();
    const shelf = await openShelf(place);
    const index = createIndexWriter({ ...common, limits: config.autoMemory, useOf: uses.of });
    index.touch({
      folder: place.folder,
      state: place.state,
      read: async () => {
        await shelf.scan();
        const isIgnored = shelf.isKeptOut("MEMORY.md");
        return shelf
          .memories()
          .filter(({ status }) => status === "active" || status === "resolved")
          .filter(({ isKeptOut }) => isIgnored || !isKeptOut);
      },
    });
    await index.flush();
  }
}

function archive(project: Project, id: string): Promise<string | undefined> {
  return withMemories(project, async (memories) => {
    const written = await memories.archive(id, { operation: "archive", reason: "expired" });
    return written.kind === "refused" ? written.why : undefined;
  });
}
