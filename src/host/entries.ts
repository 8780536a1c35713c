/**
 * Keeps the plugin from running twice in a project, if a host calls both of its entries and offers each all it needs.
 * The entry that starts first does the work.
 */
export type Entry = "server" | "setup";

export interface Entries {
  /** Returns whether this entry may work in the folder; the other one may not until `leave` is called. */
  enter(entry: Entry, folder: string): boolean;
  leave(entry: Entry, folder: string): void;
}

export function createEntries(): Entries {
  const working = new Map<string, Entry>();
  return {
    enter(entry, folder) {
      const first = working.get(folder) ?? entry;
      working.set(folder, first);
      return first === entry;
    },
    leave(entry, folder) {
      if (working.get(folder) === entry) working.delete(folder);
    },
  };
}
