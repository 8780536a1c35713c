/** The IDs of machines in the file `owner` of a project's shared state, and this machine's own in its record. */
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { Log } from "../record/log.js";
import { parseJson } from "../records.js";
import { type Files, readPlainText, readText } from "../seams/files.js";
import { matching, object, parserOf, string } from "../shape.js";
import { isRecordName, type ProjectRecord, planRecord } from "./record.js";

/** Every call rejects with the system's error. */
export interface OwnerIDs {
  /** Does this machine's ID stand in `owner`? */
  isOurs(record: ProjectRecord): Promise<boolean>;
  /** Whether the project was moved here from a path that is no more; then its record comes along. */
  takeAlong(record: ProjectRecord): Promise<boolean>;
  /** This machine's ID, made where there is none. Two processes that do it at once get the same one. */
  identify(record: ProjectRecord): Promise<Owner>;
  /** Adds this machine's ID to those of others that share the folder. */
  claim(record: ProjectRecord): Promise<void>;
  /** The IDs in `owner`. */
  read(): Promise<string[]>;
}

export interface OwnerIDsOptions {
  files: Files;
  log: Log;
  ownerPath: string;
  project: string;
}

export interface Owner {
  id: string;
  path: string;
}

/** Machines that share a folder; a file with more is none of ours. */
const MOST_OWNERS = 20;
const IS_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const parseOwner = parserOf(object<Owner>({ id: matching(IS_ID), path: string }));

/** Returns the record's owner; `undefined` if it has none. Rejects with the system's error. */
export async function readOwner(
  files: Pick<Files, "read">,
  { owner }: Pick<ProjectRecord, "owner">,
): Promise<Owner | undefined> {
  return parseOwner(parseJson((await readText(files, owner)) ?? ""));
}

export function createOwnerIDs({ files, log, ownerPath, project }: OwnerIDsOptions): OwnerIDs {
  return {
    async isOurs(record) {
      const own = await readOwner(files, record);
      return own !== undefined && (await read()).includes(own.id);
    },

    async takeAlong(record) {
      const ids = await read();
      if (ids.length === 0 || (await readOwner(files, record))) return false;
      const all = dirname(record.folder);
      for (const name of (await files.list(all)).filter(isRecordName)) {
        const earlier = planRecord(join(all, name));
        const owner = await readOwner(files, earlier);
        if (!owner || !ids.includes(owner.id) || (await files.stat(owner.path))) continue;
        const sessions = ((await readText(files, earlier.sessions)) ?? "").trim();
        if (sessions !== "") await files.appendLine(record.sessions, sessions);
        await files.rename(earlier.candidates, record.candidates);
        await files.rename(earlier.dropped, record.dropped);
        await files.writeWhole(record.owner, await formatOwner(owner.id));
        await files.remove(earlier.owner);
        log.info("owner", `the project was moved here from ${owner.path}`);
        return true;
      }
      return false;
    },

    identify,

    async claim(record) {
      const { id } = await identify(record);
      const ids = await read();
      if (!ids.includes(id)) await files.writeWhole(ownerPath, `${[...ids, id].join("\n")}\n`);
    },

    read,
  };

  async function identify(record: ProjectRecord): Promise<Owner> {
    const known = await readOwner(files, record);
    if (known) return known;
    const isMade = await files.create(record.owner, await formatOwner(randomUUID()));
    const made = await readOwner(files, record);
    if (made) return made;
    throw new Error(`${record.owner} ${isMade ? "is gone" : "cannot be understood; delete it"}`);
  }

  async function formatOwner(id: string): Promise<string> {
    const path = (await files.realPath(project)) ?? project;
    return `${JSON.stringify({ v: 1, id, path })}\n`;
  }

  async function read(): Promise<string[]> {
    const ids = (await readPlainText(files, ownerPath)).split("\n").filter((line) => IS_ID.test(line));
    return ids.length > MOST_OWNERS ? [] : ids;
  }
}
