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

export type Planted = ReturnType<typeof openPlanted>;

/** Text only in the user's files: finding it elsewhere means that one was read. */
export const PRECIOUS = "Precious words about the purple elephant, of nobody's concern.";

export function openPlanted() {
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
    /** The project's root. */
    project,
    /** A folder of the user, outside the project. */
    theirs,
    /** A path in the project. */
    file: (path: string): string => join(project, path),
    /** Creates a link here to a user file with this text. */
    linkFile(path: string, text = `${PRECIOUS}\n`): void {
      symlinkSync(keep(`file-${before.size}`, text), place(path));
    },
    /** Creates a link here to the user's folder. */
    linkFolder: (path: string): void => symlinkSync(join(theirs, "folder"), place(path)),
    write: (path: string, text: string): void => writeFileSync(place(path), text),
    /** Names of the user's files that have changed. */
    changes(): string[] {
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
