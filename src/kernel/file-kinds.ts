/** Kinds of file that Strata creates in a project, and when each expires: for `strata check --fix` and docs/files.md. */

import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { RunningProcesses } from "../io/processes.js";
import { memoryTypes } from "../memory/memory.js";
import type { Folders } from "../project/folders.js";

export interface FileKind {
  /** Path below the project, as in docs/files.md: `<id>` is any name, `<day>` a date, `<type>` a memory type. */
  readonly path: string;
  /** When `strata check --fix` may remove it. Absent: the file stays until a person or its layer removes it. */
  readonly expiry?: Expiry;
}

export interface Expiry {
  /** What `strata check --fix` calls such a file. */
  readonly what: string;
  /** Minimum age in days, even if the check is given fewer. */
  readonly days: number;
  /** Removed at start-up once it is that old. Otherwise only `strata check --fix` removes it. */
  readonly atStart?: true;
  /** Returns a check whether an older file is still needed. */
  openNeeds?(world: ExpiryWorld): (path: string) => Promise<boolean>;
}

export interface ExpiryWorld {
  clock: Clock;
  files: Files;
  folders: Folders;
  /** Folder that the kinds' paths are below; default: the project. */
  root?: string;
  processes: RunningProcesses;
}

/** Number of days for which machine state is useful. */
export const STATE_DAYS = 7;

/** What a process leaves beside a file of this kind if it is killed while it writes: the same name with a random suffix. */
export const tornOf = ({ path }: FileKind): FileKind => ({
  path: `${path}.<torn>`,
  expiry: { what: "a half-written file", days: STATE_DAYS, atStart: true },
});

/** Is the file of this kind? `path` is relative to the project, with `/` as separator. */
export const matches = (kind: FileKind, path: string): boolean => patternOf(kind).test(path);

/** Matches the paths of files of this kind, relative to the project. */
export function patternOf(kind: FileKind): RegExp {
  const escaped = kind.path.replace(/[.$()+]/g, "\\$&");
  const pattern = Object.entries(PLACEHOLDERS).reduce(
    (text, [placeholder, source]) => text.replaceAll(placeholder, source),
    escaped,
  );
  return new RegExp(`^${pattern}$`);
}

const PLACEHOLDERS = {
  "<id>": "[^/]+",
  "<day>": "\\d{4}-\\d{2}-\\d{2}",
  "<torn>": "[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}(\\.\\d+)?",
  "<type>": `(${memoryTypes.join("|")})`,
};
