/** Mends what was found, in the one order in which no step undoes another. */
import { dirname, join } from "node:path";
import { formatError } from "../../error.js";
import { hideFromGit } from "../../folders.js";
import { formatPrefix } from "../../memory/id.js";
import { createSecretGate } from "../../memory/secret-gate.js";
import { createIndexWriter, type IndexWriterOptions } from "../../memory/store/index-writer.js";
import { readPending, setPendingAside } from "../../memory/store/pending.js";
import type { ShelfPlace } from "../../memory/store/places.js";
import { createShelf } from "../../memory/store/shelf.js";
import { createUses } from "../../memory/store/uses.js";
import type { Log } from "../../record/log.js";
import type { Surroundings } from "../command.js";
import { openLocks, withMemories } from "../memories.js";
import { createProgress } from "../progress.js";
import type { Flaw, Mend } from "./flaw.js";

/** What became of one step. */
export interface Mended {
  mend: Mend;
  /** Why it could not be done; absent where it was. */
  failure?: string;
}

const ORDER: readonly Mend["kind"][] = [
  "unlock",
  "remove",
  "hide",
  "set aside",
  "settle",
  "archive",
  "index",
];
/** In the ledger's lines. */
const INSTANCE = "cli-optimize";

/** Every step that these flaws ask for, once, in the order in which they are to be done. Pure. */
export function planMends(flaws: readonly Flaw[]): Mend[] {
  const steps = new Map<string, Mend>();
  for (const mend of flaws.flatMap(({ mends = [] }) => mends)) steps.set(nameStep(mend), mend);
  return [...steps.values()].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

function nameStep(mend: Mend): string {
  if (mend.kind === "settle" || mend.kind === "index") return `${mend.kind} ${mend.place.folder}`;
  return `${mend.kind} ${mend.kind === "archive" ? mend.id : mend.path}`;
}

export interface MendOptions {
  limits: IndexWriterOptions["limits"];
  /** Folder of the counts of use, which rank an index. */
  usesFolder: string;
}

/** Does these steps and no other. One that fails does not keep the others. */
export async function mendAll(
  surroundings: Surroundings,
  steps: readonly Mend[],
  options: MendOptions,
): Promise<Mended[]> {
  const progress = createProgress(surroundings, "Mending");
  const mendOne = createMending(surroundings, options);
  const mended: Mended[] = [];
  for (const [n, mend] of steps.entries()) {
    const failure = await mendOne(mend).catch(formatError);
    mended.push({ mend, ...(failure !== undefined && { failure }) });
    progress.step(n + 1, steps.length);
  }
  progress.end();
  return mended;
}

/** Does one step; the sentence on why not, where it could not be done. */
function createMending(
  surroundings: Surroundings,
  { limits, usesFolder }: MendOptions,
): (mend: Mend) => Promise<string | undefined> {
  const { clock, files } = surroundings;
  const complaints: string[] = [];
  const complain = (_source: string, message: string): void => void complaints.push(message);
  const log: Log = { error: complain, warn: complain, info() {}, debug() {} };
  const common = { clock, files, log, locks: openLocks(surroundings, INSTANCE) };
  const { locks } = common;

  return async (mend) => {
    complaints.length = 0;
    if (mend.kind === "unlock") await locks.withLock(mend.path, async () => {}, { waitMs: 0 });
    else if (mend.kind === "remove") await remove(mend);
    else if (mend.kind === "set aside") await setAside(mend);
    else if (mend.kind === "hide") await hideFromGit(files, dirname(mend.path), mend.rules);
    else if (mend.kind === "settle") await openShelf(mend.place).scan();
    else if (mend.kind === "archive") return archive(mend.id);
    else await writeIndex(mend.place);
    return complaints.length === 0 ? undefined : complaints.join("; ");
  };

  function openShelf(place: ShelfPlace) {
    return createShelf({ ...common, ...place, instance: INSTANCE, gate: createSecretGate(common.clock) });
  }

  /** With both locks of its folder in hand nobody is writing there. */
  async function remove({ modifiedMs, path, place }: Mend & { kind: "remove" }): Promise<void> {
    await locks.withLock(join(place.state, "lock"), () =>
      locks.withLock(join(place.state, "index.lock"), async () => {
        const stat = await files.statItself(path);
        const isOther = !Number.isNaN(modifiedMs) && stat?.modifiedMs !== modifiedMs;
        if (stat?.kind === "file" && !isOther) await files.remove(path);
        else if (stat) complaints.push(`${path} is another than before, and stays`);
      }),
    );
  }

  async function setAside({ path, place }: Mend & { kind: "set aside" }): Promise<void> {
    await locks.withLock(join(place.state, "lock"), async () => {
      const reading = await readPending(files, path, formatPrefix(place));
      if (reading?.kind === "refused") await setPendingAside(files, path);
    });
  }

  function archive(id: string): Promise<string | undefined> {
    return withMemories(surroundings, async (memories) => {
      const written = await memories.archive(id, { operation: "archive", reason: "expired" });
      return written.kind === "refused" ? written.why : undefined;
    });
  }

  async function writeIndex(place: ShelfPlace): Promise<void> {
    const uses = createUses({ clock, files, log, folder: usesFolder });
    await uses.load();
    const shelf = openShelf(place);
    const index = createIndexWriter({ ...common, limits, useOf: uses.of });
    index.touch({
      folder: place.folder,
      state: place.state,
      read: async () => {
        await shelf.scan();
        return shelf.memories().filter(({ status }) => status === "active" || status === "resolved");
      },
    });
    await index.flush();
  }
}
