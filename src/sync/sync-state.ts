/**
 * The state of a sync, in the user's state folder, where no repository can write:
 *
 *     sync.json         the remote, chosen by the user
 *     sync-state.json   the times and results of the last pull and push
 *     sync-ids.txt      the last processed commit, then the ids of all lines on the remote
 *     sync.git/         see `bare-repository.ts`
 *     sync.lock         held by the process that syncs
 *
 * A project's memories use the folder of its record, global memories use `sync-global`.
 */
import { join } from "node:path";
import { count, each, isVersion, list, object, oneOf, optional, parserOf, string } from "../base/shape.js";
import { type Files, readText } from "../io/files.js";
import { formatPage, formatState, readState } from "../io/state-file.js";
import { locateRecord } from "../project/state-owner.js";
import type { Scope } from "./bare-repository.js";

export interface SyncPlace {
  scope: Scope;
  folder: string;
}

export const SYNC_CONFIG = "sync.json";
/** Folder for the sync of global memories, in the user's state folder. */
const GLOBAL_SYNC = "sync-global";

/** `project` is the one that the memories belong to. Rejects with the system's error. */
export async function locateSync(
  files: Files,
  scope: Scope,
  { project, stateFolder }: { project: string; stateFolder: string },
): Promise<SyncPlace> {
  if (scope === "global") return { scope, folder: join(stateFolder, GLOBAL_SYNC) };
  return { scope, folder: (await locateRecord(files, { project, stateFolder })).folder };
}

export interface SyncConfig {
  url: string;
  branch: string;
  /** All memories on it are the user's. */
  isOwn: boolean;
}

export interface SyncState {
  /** Milliseconds since 1970. */
  pulledMs?: number;
  pushedMs?: number;
  /** Why the last attempt failed; absent if it succeeded. */
  failure?: string;
  /** Memories whose newest version stays here. */
  refused: { id: string; why: string }[];
  /** Memories whose remote changes could not be applied. */
  deferred: { id: string; why: string }[];
}

export interface KnownLines {
  /** The commit that contains them, or `UNREAD`. */
  tip: string;
  ids: Set<string>;
}

/** Stored instead of the tip if lines were left out, so that the next fetch reads everything again. */
export const UNREAD = "0".repeat(40);

export type SyncFiles = ReturnType<typeof openSyncFiles>;

/** No remote is set up, or its branch cannot be used. */
export const NO_SYNC = "NOSYNC";

const named = list(object<{ id: string; why: string }>({ id: string, why: string }));
const parseConfig = parserOf(
  object<SyncConfig & { v: number }>({
    v: isVersion,
    ...each(string, "url", "branch"),
    isOwn: oneOf([true, false]),
  }),
);
const parseState = parserOf(
  object<SyncState & { v: number }>({
    v: isVersion,
    ...each(optional(count), "pulledMs", "pushedMs"),
    failure: optional(string),
    ...each(named, "refused", "deferred"),
  }),
);
const FRESH: SyncState = { refused: [], deferred: [] };

export function openSyncFiles(files: Files, { folder }: SyncPlace) {
  const at = (name: string): string => join(folder, name);
  const writeState = (state: SyncState): Promise<void> =>
    files.writeWhole(at("sync-state.json"), formatState(state));

  return {
    readConfig: (): Promise<SyncConfig | undefined> => readState(files, at(SYNC_CONFIG), parseConfig),
    /** `undefined`: no remote is chosen. */
    async writeConfig(one: SyncConfig | undefined): Promise<void> {
      if (!one) return files.remove(at(SYNC_CONFIG));
      const { branch, isOwn, url } = one;
      await files.writeWhole(at(SYNC_CONFIG), formatPage({ url, branch, isOwn }));
    },
    readState: async (): Promise<SyncState> =>
      (await readState(files, at("sync-state.json"), parseState)) ?? FRESH,
    writeState,

    async readKnown(): Promise<KnownLines | undefined> {
      const [tip = "", ...ids] = ((await readText(files, at("sync-ids.txt"))) ?? "").split("\n");
      return /^[0-9a-f]{40,64}$/.test(tip) ? { tip, ids: new Set(ids.filter((id) => id !== "")) } : undefined;
    },

    writeKnown: ({ ids, tip }: { ids: ReadonlySet<string>; tip: string }) =>
      files.writeWhole(at("sync-ids.txt"), `${[tip, ...ids].join("\n")}\n`),

    /** Deletes the state of the previous remote. */
    async forget(): Promise<void> {
      await files.remove(at("sync-ids.txt"));
      await writeState(FRESH);
    },

    repository: at("sync.git"),
    lock: at("sync.lock"),
  };
}
