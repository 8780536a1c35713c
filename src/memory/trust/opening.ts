/** The record of one place, opened: finds out which project it is, and reads what this machine knows of it. */
import { join } from "node:path";
import type { Files } from "../../io/files.js";
import { type AcceptedPlaces, type Identity, identify, isAccepted } from "./git-folder.js";
import { readLogEnd } from "./git-origin.js";
import { createTrustRecord, type RecordLine, type TrustRecord } from "./record.js";

/** Calls reject with the system's error, and are tried again the next time. */
export interface Opening {
  /** Opened once. */
  open(): Promise<Opened>;
  /** Gives a project that was only looked at an ID, and writes down what was noted about it. */
  openToWrite(): Promise<Opened>;
  reopen(): Promise<Opened>;
  /** As opened last. */
  current(): Opened | undefined;
  /** Adds the line to the record; while nothing may be written, it waits for the first write. */
  note(line: RecordLine): Promise<void>;
  /** Is nothing written? */
  isBrief(): boolean;
  /** Grows whenever the record answers otherwise. */
  readonly version: number;
}

export interface Opened {
  identity: Identity;
  record: TrustRecord;
  /** Does the user's own configuration accept this project? */
  isAcceptedForGood: boolean;
}

export interface OpeningOptions {
  accepted: AcceptedPlaces;
  files: Files;
  folder: string;
  /** Only looks: nothing is written down before the user changes something. */
  isBrief?: boolean;
  kind: "project" | "global";
  /** Where this machine keeps what it knows of all projects. */
  stateFolder: string;
}

export function createOpening({ accepted, files, folder, kind, ...given }: OpeningOptions): Opening {
  const unwritten: RecordLine[] = [];
  let { isBrief = false } = given;
  let opening: Promise<Opened> | undefined;
  let opened: Opened | undefined;
  let openings = 0;

  return {
    open,
    reopen,
    current: () => opened,
    isBrief: () => isBrief,
    get version() {
      return openings + (opened?.record.version ?? 0);
    },

    async openToWrite() {
      await open();
      if (!isBrief) return open();
      isBrief = false;
      return reopen();
    },

    async note(line) {
      const { record } = await open();
      if (!isBrief) return record.add(line);
      record.note(line);
      unwritten.push(line);
    },
  };

  function open(): Promise<Opened> {
    return opening ?? reopen();
  }

  function reopen(): Promise<Opened> {
    opening = keep(readOpened());
    return opening;
  }

  async function keep(reading: Promise<Opened>): Promise<Opened> {
    try {
      opened = await reading;
      openings++;
      return opened;
    } catch (thrown) {
      // A disk that could not be read now may be read later.
      opening = undefined;
      throw thrown;
    }
  }

  async function readOpened(): Promise<Opened> {
    const identity = await findIdentity();
    const record = createTrustRecord(files, locate(identity.id));
    await record.readOn();
    if (!isBrief && !record.hasRoot(identity.root)) await noteRoot(record, identity);
    for (let [line] = unwritten; line && !isBrief; [line] = unwritten) {
      await record.add(line);
      unwritten.shift();
    }
    for (const line of unwritten) record.note(line);
    return { identity, record, isAcceptedForGood: await isAccepted(files, accepted, identity) };
  }

  async function findIdentity(): Promise<Identity> {
    if (kind === "global") return { id: "global", root: (await files.realPath(folder)) ?? folder };
    return identify({
      files,
      project: folder,
      isBrief,
      async isKnown(id, root) {
        const record = createTrustRecord(files, locate(id));
        await record.readOn();
        if (record.hasRoot(root)) return "here";
        return record.isBegun ? "elsewhere" : "nowhere";
      },
      begin: (id, place) => noteRoot(createTrustRecord(files, locate(id)), { id, ...place }),
    });
  }

  function locate(id: string): string {
    return join(given.stateFolder, "trust", `${id || "unknown"}.jsonl`);
  }

  async function noteRoot(record: TrustRecord, { git, root }: Identity): Promise<void> {
    const log = git && (await readLogEnd(files, git));
    await record.add({ op: "root", root, ...(log !== undefined && { log }) });
  }
}
