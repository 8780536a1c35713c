/** User files outside the project, and links to them in place of our files and folders. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Planted {
  /** The project's root. */
  project: string;
  /** A folder of the user, outside the project. */
  theirs: string;
  /** A path in the project. */
  file(path: string): string;
  /** Creates a link here to a user file with this text. */
  linkFile(path: string, text?: string): void;
  /** Creates a link here to the user's folder. */
  linkFolder(path: string): void;
  write(path: string, text: string): void;
  /** Names of the user's files that have changed. */
  changes(): string[];
  remove(): void;
}

/** Text only in the user's files: finding it elsewhere means that one was read. */
export const PRECIOUS = "Precious words about the purple elephant, of nobody's concern.";

export function openPlanted(): Planted {
  const root = mkdtempSync(join(tmpdir(), "strata-planted-"));
  const project = join(root, "work", "clone");
  const theirs = join(root, "theirs");
  for (const folder of [project, join(theirs, "folder")]) mkdirSync(folder, { recursive: true });
  const before = new Map<string, string>();
  const keep = (name: string, text: string): string => {
    before.set(name, text);
    writeFileSync(join(theirs, name), text, { mode: 0o644 });
    return join(theirs, name);
  };
  for (const name of ["directive.md", "letter.txt", "x.jsonl", "x.json", "MEMORY.md"])
    keep(`folder/${name}`, `${PRECIOUS}\n`);
  const place = (path: string): string => {
    const there = join(project, path);
    mkdirSync(dirname(there), { recursive: true });
    return there;
  };
  return {
    project,
    theirs,
    file: (path) => join(project, path),
    linkFile(path, text = `${PRECIOUS}\n`) {
      symlinkSync(keep(`file-${before.size}`, text), place(path));
    },
    linkFolder: (path) => symlinkSync(join(theirs, "folder"), place(path)),
    write: (path, text) => writeFileSync(place(path), text),
    changes() {
      const now = readdirSync(theirs, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(theirs.length + 1));
      const all = new Set([...before.keys(), ...now]);
      return [...all].filter(
        (name) => !now.includes(name) || readFileSync(join(theirs, name), "utf8") !== before.get(name),
      );
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
