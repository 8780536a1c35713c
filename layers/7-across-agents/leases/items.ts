/** Items of leases: `!12`, `#34`, `&5`, a path or a topic, each with one spelling. */
import { isAbsolute } from "node:path";

const REFERENCE = /^[!#&]\d+$/;
/** A text with a slash, or a file name. */
const PATH = /[/\\]|^\.|\.\w{1,8}$/;

/** Could it be a path, if such a file exists? */
export const mayBePath = (text: string): boolean => !REFERENCE.test(text);

/** Is it meant as a path, even if no such file exists? A topic of several words is not. */
export function isPath(text: string): boolean {
  return mayBePath(text) && !/\s/.test(text) && PATH.test(text);
}

/** The canonical spelling of a reference or topic; `Places.spell` does paths. */
export function formatTopic(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .toLowerCase();
}

/** Are the items equal, or is one inside the other? */
export function overlaps(one: string, other: string): boolean {
  return one === other || isBelow(one, other) || isBelow(other, one);
}

function isBelow(path: string, folder: string): boolean {
  if (folder === ".") return isPath(path) && !isAbsolute(path);
  return path.startsWith(`${folder}/`);
}
