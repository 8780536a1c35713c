/** What can be held: `!12`, `#34`, `&5`, a path or a topic, each with one spelling. */
import { isAbsolute } from "node:path";

const REFERENCE = /^[!#&]\d+$/;
/** Something with a slash in it, or the name of a file. */
const PATH = /[/\\]|^\.|\.\w{1,8}$/;

/** May it be a path, if there is such a file? */
export const mayBePath = (text: string): boolean => !REFERENCE.test(text);

/** Is it meant as a path, whether or not there is such a file? A topic of several words is none. */
export function isPath(text: string): boolean {
  return mayBePath(text) && !/\s/.test(text) && PATH.test(text);
}

/** A reference or a topic in its one spelling; paths are `placeOf`'s. */
export function formatTopic(text: string): string {
  return text.trim().replace(/\s+/g, " ").toLowerCase();
}

/** Do they name the same, or does one lie in the other? */
export function overlaps(one: string, other: string): boolean {
  return one === other || isBelow(one, other) || isBelow(other, one);
}

function isBelow(path: string, folder: string): boolean {
  if (folder === ".") return isPath(path) && !isAbsolute(path);
  return path.startsWith(`${folder}/`);
}
