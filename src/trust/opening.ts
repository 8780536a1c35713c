/** Opens the record of a place: finds out which project it is, and reads what this machine knows of it. */
import { join } from "node:path";
import type { Files } from "../seams/files.js";
import { type AcceptedPlaces, isAccepted } from "./accepted.js";
import { readLogEnd } from "./git-log.js";
import { type Identity, identify } from "./identity.js";
import { createTrustRecord, type TrustRecord } from "./record.js";

/** What opens rejects with the system's error, and is tried again then. */
export interface Opening {
  /** Opened once. */
  open(): Promise<Open>;
  /** Gives a place that was only looked at one of its own, which can be written to. */
  openToWrite(): Promise<Open>;
  again(): Promise<Open>;
  /** As opened last. */
  current(): Open | undefined;
  /** Is it only looked at, and nothing written? */
  isBrief(): boolean;
}

export interface Open {
  identity: Identity;
  record: TrustRecord;
  isAcceptedForGood: boolean;
}

export interface OpeningOptions {
  files: Files;
  /** Where this machine keeps what it knows of all projects. */
  stateFolder: string;
  /** Those that the user's own configuration names. */
  accepted: AcceptedPlaces;
  kind: "project" | "global";
  folder: string;
  /** Only looks: nothing is written down but what the user does. */
  isBrief?: boolean;
}

export function createOpening({
  accepted,
  files,
  folder,
  kind,
  stateFolder,
  ...given
}: OpeningOptions): Opening {
  let { isBrief = false } = given;
  let opening: Promise<Open> | undefined;
  let opened: Open | undefined;

  return {
    open,
    current: () => opened,
    isBrief: () => isBrief,

    async openToWrite() {
      const known = await open();
      if (!isBrief) return known;
      isBrief = false;
      opening = keep(readOpen(false));
      return opening;
    },

    again() {
      opening = keep(readOpen(isBrief));
      return opening;
    },
  };

  function open(): Promise<Open> {
    opening ??= keep(readOpen(isBrief));
    return opening;
  }

  async function keep(reading: Promise<Open>): Promise<Open> {
    try {
      opened = await reading;
      return opened;
    } catch (thrown) {
      // A disk that could not be read now may be read later.
      opening = undefined;
      throw thrown;
    }
  }

  async function readOpen(isLook: boolean): Promise<Open> {
    if (kind === "global") {
      const root = (await files.realPath(folder)) ?? folder;
      return openRecord({ id: "global", root }, isLook);
    }
    const identity = await identify({
      files,
      project: folder,
      isBrief: isLook,
      async isKnown(id, root) {
        const record = createTrustRecord(files, locate(id));
        await record.readOn();
        if (record.hasRoot(root)) return "here";
        return record.isBegun ? "elsewhere" : "nowhere";
      },
      begin: (id, place) => noteRoot(createTrustRecord(files, locate(id)), { id, ...place }),
    });
    return openRecord(identity, isLook);
  }

  function locate(id: string): string {
    return join(stateFolder, "trust", `${id || "unknown"}.jsonl`);
  }

  async function openRecord(identity: Identity, isLook: boolean): Promise<Open> {
    const record = createTrustRecord(files, locate(identity.id));
    await record.readOn();
    if (!isLook && !record.hasRoot(identity.root)) await noteRoot(record, identity);
    return { identity, record, isAcceptedForGood: await isAccepted(files, accepted, identity) };
  }

  async function noteRoot(record: TrustRecord, { git, root }: Identity): Promise<void> {
    const log = git && (await readLogEnd(files, git));
    await record.add({ op: "root", root, ...(log !== undefined && { log }) });
  }
}
