/** Files that the kernel creates in a project. Each layer's definition lists the layer's own. */
import { WAITING_DAYS } from "../memory/candidates/candidate.js";
import { parseInstance } from "../project/other-instances.js";
import { type ExpiryWorld, type FileKind, STATE_DAYS } from "./expired-files.js";

const STATE = ".opencode/strata/state";
/** Asking for them again may cost money. */
const VECTOR_DAYS = 30;
/** Memories and their companions: those shared in the project, and the user's private ones. */
const MEMORY = [".opencode/memory", ".opencode/memory/private"].flatMap((folder) => [
  `${folder}/<type>/<id>.md`,
  `${folder}/MEMORY.md`,
  `${folder}/archive/<type>/<id>.md`,
  `${folder}/ledger/<id>.jsonl`,
  `${folder}/.gitignore`,
]);

const kept = (path: string): FileKind => ({ path });
const state = (name: string, what: string): FileKind => ({
  path: `${STATE}/${name}`,
  expiry: { what, days: STATE_DAYS, atStart: true },
});

export const kernelFiles: readonly FileKind[] = [
  ...MEMORY.map(kept),
  kept(".opencode/memory/.gitattributes"),
  kept(".opencode/strata/.gitignore"),
  kept(".opencode/strata/strata.log"),
  kept(".opencode/strata/strata.log.1"),
  kept(".opencode/strata/strata.log.2"),
  kept(".opencode/strata/savings/<id>.jsonl"),
  kept(`${STATE}/owner`),
  kept(`${STATE}/decisions/<day>.jsonl`),
  // No provider caches a prefix for longer than a day.
  state("views/<id>.json", "what was last sent in an old session"),
  state("screen/<id>.context.json", "what stood in the context of an old session"),
  state("screen/<id>.json", "what the screen showed of an old session"),
  kept(`${STATE}/sessions.json`),
  state("background/<day>.jsonl", "the budget of a past day"),
  {
    path: `${STATE}/vectors/<id>.bin`,
    expiry: { what: "vectors of a model that is no longer used", days: VECTOR_DAYS, atStart: true },
  },
  state("calls/<id>.json", "the call counts of an instance that has ended"),
  {
    path: `${STATE}/instances/<id>.json`,
    expiry: { what: "an instance that has ended", days: STATE_DAYS, openNeeds: openLiving },
  },
  kept(`${STATE}/prices.json`),
  kept(`${STATE}/entities.json`),
  kept(`${STATE}/memory/clone`),
  kept(`${STATE}/memory/internal/<id>`),
  kept(`${STATE}/memory/private/<id>`),
  kept(`${STATE}/memory/internal/ledger/<id>.jsonl`),
  kept(`${STATE}/memory/uses/<id>.jsonl`),
  kept(`${STATE}/<id>.lock`),
];

const DROPPED_DAYS = 365;

const REQUEST_DAYS = 30;

const asked = (name: string): FileKind => ({
  path: `projects/<id>/${name}`,
  expiry: { what: "what was asked about contexts long ago", days: REQUEST_DAYS, atStart: true },
});

/** A person's checkpoint is kept for a year, the plugin's own for a month. */
const CHECKPOINT_DAYS = 365;
const AUTO_CHECKPOINT_DAYS = 30;

const likely = (name: string): FileKind => ({
  path: `projects/<id>/${name}`,
  expiry: { what: "sentences that did not become memories", days: WAITING_DAYS, atStart: true },
});

/**
 * Files of all projects in the user's state folder that expire; paths below that folder. What waits there expires by
 * itself; this also removes the files of projects that are not opened any more.
 */
export const stateFolderFiles: readonly FileKind[] = [
  likely("candidates.json"),
  likely("candidates.json.corrupt"),
  likely("dropped.json.corrupt"),
  asked("context-requests.jsonl"),
  asked("context-requests.older.jsonl"),
  {
    path: "projects/<id>/checkpoint-<id>.auto.json",
    expiry: {
      what: "Strata's own checkpoints from a month ago",
      days: AUTO_CHECKPOINT_DAYS,
      atStart: true,
    },
  },
  {
    path: "projects/<id>/checkpoint-<id>.json",
    expiry: { what: "checkpoints from a year ago", days: CHECKPOINT_DAYS, atStart: true },
  },
  {
    path: "projects/<id>/attached-<id>.json",
    expiry: { what: "attachments for a session that never continued", days: STATE_DAYS, atStart: true },
  },
  {
    path: "projects/<id>/dropped.json",
    expiry: { what: "which sentences were dropped long ago", days: DROPPED_DAYS, atStart: true },
  },
];

/** The file of an instance is needed while its process runs, and while it may run on another machine. */
function openLiving({ files, processes }: ExpiryWorld): (path: string) => Promise<boolean> {
  return async (path) => {
    const bytes = await files.read(path);
    const instance = bytes && parseInstance(new TextDecoder().decode(bytes));
    return instance !== undefined && (await processes.isRunning(instance.process)) === true;
  };
}
