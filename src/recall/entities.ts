/** Finds entities that several texts may name: merge requests `!12`, issues `#34`, epics `&5` and file paths. */
import { MOST_OF_A_FIELD } from "./terms.js";

const NUMBERED = /(?<![\w!#&/;])[!#&]\d{1,7}\b/g;
/** A folder and a name, or a name with a source file's extension. */
const PATH =
  /(?<![\w/:.~@-])(?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]*\w|(?<![\w/:.~@-])[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|c|h|cc|cpp|hpp|cs|php|swift|sh|sql|md|json|jsonc|ya?ml|toml|css|scss|html|vue|svelte|proto|lock|ini|env)\b/g;

/** Each entity once, in the order of the text; paths without leading `./`. */
export function findEntities(text: string): string[] {
  const read = text.slice(0, MOST_OF_A_FIELD);
  const numbered = [...read.matchAll(NUMBERED)].map(([entity]) => entity);
  const paths = [...read.matchAll(PATH)].map(([path]) => normalizePath(path));
  return [...new Set([...numbered, ...paths.filter(isPath)])];
}

/** The form in which paths are compared: forward slashes, no leading `./`, no trailing slash. */
export function normalizePath(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(/^(\.{1,2}\/)+/, "")
    .replace(/\/+$/, "");
}

/** Rejects `and/or`, `CI/CD` and `1/2`: a path has an extension or two folders. */
function isPath(path: string): boolean {
  return /\.[a-z]\w*$/i.test(path) || (path.split("/").length > 2 && /[a-z]{2}/i.test(path));
}
