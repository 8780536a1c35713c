/** The kinds of file that Strata creates in a project, and when each expires: for `strata gc` and docs/files.md. */
import type { Folders } from "./folders.js";
import { memoryTypes } from "./memory/memory.js";
import type { Clock } from "./seams/clock.js";
import type { Files } from "./seams/files.js";
import type { RunningProcesses } from "./seams/processes.js";

export interface FileKind {
  /** Below the project, as docs/files.md has it: `<id>` stands for any name, `<day>` for a date, `<type>` for a type of memory. */
  readonly path: string;
  /** When `strata gc` may remove it. Without it, the file stays until a person or its layer removes it. */
  readonly expiry?: Expiry;
}

export interface Expiry {
  /** What `strata gc` calls such a file. */
  readonly what: string;
  /** Kept for at least this many days, even if `gc` is asked for fewer. */
  readonly days: number;
  /** It is removed at a start, once it is that old. Otherwise only `strata gc` does it. */
  readonly atStart?: true;
  /** Asked about a file that is older. */
  openNeeds?(world: ExpiryWorld): (path: string) => Promise<boolean>;
}

export interface ExpiryWorld {
  clock: Clock;
  files: Files;
  folders: Folders;
  processes: RunningProcesses;
}

/** Days for which machine state is still useful. */
export const STATE_DAYS = 7;

/**
 * What a process leaves beside a file of this kind if it is killed while it writes: the same name with the end that the
 * file seam gives it until it is whole.
 */
export const tornOf = ({ path }: FileKind): FileKind => ({
  path: `${path}.<torn>`,
  expiry: { what: "a half-written file", days: STATE_DAYS, atStart: true },
});

/** Is it such a file? `path` is below the project, with `/` between its parts. */
export function matches(kind: FileKind, path: string): boolean {
  const escaped = kind.path.replace(/[.$()+]/g, "\\$&");
  const pattern = Object.entries(PLACEHOLDERS).reduce(
    (text, [placeholder, stands]) => text.replaceAll(placeholder, stands),
    escaped,
  );
  return new RegExp(`^${pattern}$`).test(path);
}

const PLACEHOLDERS = {
  "<id>": "[^/]+",
  "<day>": "\\d{4}-\\d{2}-\\d{2}",
  "<torn>": "[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}(\\.\\d+)?",
  "<type>": `(${memoryTypes.join("|")})`,
};
