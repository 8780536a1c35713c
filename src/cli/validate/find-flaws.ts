/** Looks at everything that a memory is made of, and changes nothing. */
import type { Config } from "../../config/schema.js";
import { planFolders } from "../../folders.js";
import { formatLock } from "../../lock/format.js";
import type { LockState } from "../../lock/locks.js";
import { findOwnFlaws, type OwnFlaw, type OwnFlawsOptions } from "../../own-flaws.js";
import type { Surroundings } from "../command.js";
import { findLocks } from "../doctor/machine.js";
import { openLocks } from "../memories.js";
import { readShelves } from "../memory-files.js";
import { createProgress } from "../progress.js";
import { findFileFlaws } from "./find-file-flaws.js";
import { findIndexFlaws } from "./find-index-flaws.js";
import { findLedgerFlaws } from "./find-ledger-flaws.js";
import { findStateFlaws, stateOf } from "./find-state-flaws.js";
import { findTextFlaws } from "./find-text-flaws.js";
import { type Flaw, problem, warning } from "./flaw.js";
import { readShelfState } from "./shelf-state.js";

export interface Inspection {
  /** By their files. */
  flaws: readonly Flaw[];
  /** Memories that can be read, those in the archive too. */
  memories: number;
}

export async function inspectMemory(
  surroundings: Surroundings,
  project: string,
  config: Pick<Config, "autoMemory"> & OwnFlawsOptions["config"],
): Promise<Inspection> {
  const { clock, files } = surroundings;
  const { inspect } = openLocks(surroundings, "validate");
  const shelves = await readShelves(surroundings, project);
  const states = await Promise.all(shelves.map((shelf) => readShelfState({ files, inspect }, shelf)));
  const memories = states.flatMap(({ looked }) =>
    looked.flatMap(({ reading }) => (reading.kind === "memory" ? [reading.memory] : [])),
  );
  const progress = createProgress(surroundings, "Checking memories");
  const flaws: Flaw[] = [];
  for (const [n, shelf] of states.entries()) {
    progress.step(n, states.length);
    flaws.push(
      ...findFileFlaws(shelf),
      ...findLedgerFlaws(shelf),
      ...findIndexFlaws(shelf, config.autoMemory),
      ...findTextFlaws(shelf, { memories, nowMs: clock.now() }),
      ...findStateFlaws(shelf),
    );
  }
  progress.end();
  for (const folder of new Set(shelves.map(({ place }) => stateOf(place))))
    for (const path of await findLocks(files, folder))
      flaws.push(...findLockFlaws(path, await inspect(path), clock.now()));
  const named = new Set(flaws.map(({ file }) => file));
  for (const flaw of await findOwnFlaws({ files, folders: planFolders(project), config }))
    if (!named.has(flaw.path)) flaws.push(formatFolderFlaw(flaw));
  return {
    flaws: flaws.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0)),
    memories: memories.length,
  };
}

function formatFolderFlaw({ lacking, path, todo, what }: OwnFlaw): Flaw {
  const says = `adds ${(lacking ?? []).join(" and ")} at its end`;
  return problem({
    file: path,
    what,
    todo,
    ...(lacking && { mends: [{ kind: "hide", path, rules: lacking, says }] }),
  });
}

function findLockFlaws(path: string, state: LockState, nowMs: number): Flaw[] {
  const { isSilent, says } = formatLock(state, nowMs);
  if (state.kind === "free") return [];
  if (isSilent)
    return [
      warning({
        file: path,
        what: says,
        todo: "nothing; who needs it takes it over",
        mends: [{ kind: "unlock", path, says: "takes it over, if nobody holds it, and gives it back" }],
      }),
    ];
  return state.token
    ? []
    : [problem({ file: path, what: says, todo: "nothing for a minute; look again then" })];
}
