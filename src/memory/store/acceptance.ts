/** What the user takes for their own of the memories that came from elsewhere. */
import type { Files } from "../../io/files.js";
import { isConflictRecord, nameConflictRecord, readConflictRecords } from "../conflict-records.js";
import type { OpenMemories } from "../store.js";
import type { Trust } from "../trust/trust.js";
import type { Standing } from "./standing.js";

export interface AcceptanceOptions {
  files: Files;
  /** `.opencode/memory` of the project. */
  folder: string;
  standings: readonly Standing[];
  trust: Pick<Trust, "accept" | "revoke"> | undefined;
}

export function createAcceptance(options: AcceptanceOptions): Pick<OpenMemories, "accept" | "revoke"> {
  const { files, folder, standings, trust } = options;
  return {
    async accept(ids, why) {
      const waiting = new Map(standings.flatMap(({ shelf }) => [...shelf.foreign()]));
      const taken = [...waiting].filter(([id]) => ids === undefined || ids.includes(id));
      const records = ids === undefined ? await readConflictRecords(files, folder) : [];
      const named = records.map(({ hash, path }) => nameConflictRecord(folder, { hash, path }));
      if (taken.length === 0) return [];
      await trust?.accept([...taken.map(([, file]) => file), ...named], why);
      const accepted = new Set(taken.map(([id]) => id));
      return standings.flatMap(({ shelf }) => shelf.memories()).filter(({ id }) => accepted.has(id));
    },

    async revoke() {
      const revoked = await trust?.revoke();
      return revoked?.files.filter(({ name }) => !isConflictRecord(name)).length;
    },
  };
}
