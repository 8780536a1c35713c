/**
 * Finds entities in text: file paths, and merge requests, issues and epics as people write them:
 *
 *     !12   #34   &5                                      of the current project
 *     acme/shop#34   acme/tools/cli!12                    of that project
 *     https://gitlab.com/acme/shop/-/merge_requests/12    gitlab.com/acme/shop!12
 *     https://github.com/acme/shop/pull/34                github.com/acme/shop#34
 */
import { MOST_OF_A_FIELD } from "../base/text.js";

export interface EntityName {
  /** `!` a GitLab merge request, `#` an issue or a GitHub pull request, `&` an epic. */
  sign: "!" | "#" | "&";
  number: number;
  /** Project, or an epic's group, with the host if known: `gitlab.com/acme/shop`. Absent in `#34`. */
  path?: string;
}

const NUMBERED = /(?<![\w!#&/;])[!#&]\d{1,7}\b/g;
const QUALIFIED = /(?<![\w@/:.~!#&-])((?:[\w-][\w.-]*\/)+[\w-][\w.-]*)([!#&])(\d{1,7})\b/g;
const URL_OF_ENTITY =
  /\bhttps?:\/\/([\w.-]+)(?::\d+)?\/((?:[\w.~-]+\/)+?)(?:-\/)?(merge_requests|pull|issues|work_items|epics)\/(\d{1,7})\b/g;
/** `src/main.ts#12` is a line in a file. A repository's name may end in ".js". */
const FILE_WITH_LINE =
  /\.(?:[cm]?tsx?|[cm]jsx?|jsx|py|go|rs|java|kt|rb|c|h|cc|cpp|php|sh|sql|md|json|ya?ml|toml|html?|css)$/i;
/** A folder and a name, or a name with a source file's extension. */
const PATH =
  /(?<![\w/:.~@-])(?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]*\w|(?<![\w/:.~@-])[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|c|h|cc|cpp|hpp|cs|php|swift|sh|sql|md|json|jsonc|ya?ml|toml|css|scss|html|vue|svelte|proto|lock|ini|env)\b/g;

/** Each entity once, in the order of the text; paths without leading `./`. */
export function findEntities(text: string): string[] {
  const read = text.slice(0, MOST_OF_A_FIELD);
  const named = findEntityNames(read).map(formatEntityName);
  // A project's path is not a file.
  const others = read.replace(QUALIFIED, (whole, path: string) => (FILE_WITH_LINE.test(path) ? whole : " "));
  const paths = [...others.matchAll(PATH)].map(([path]) => normalizePath(path));
  return [...new Set([...named, ...paths.filter(isPath)])];
}

/** The merge requests, issues and epics that the text names, in its order, with repetitions. */
export function findEntityNames(text: string): EntityName[] {
  const read = text.slice(0, MOST_OF_A_FIELD);
  const found = [
    ...[...read.matchAll(NUMBERED)].map((match) => ({ match, name: toName(match[0][0], match[0].slice(1)) })),
    ...[...read.matchAll(QUALIFIED)]
      .filter(([, path = ""]) => !FILE_WITH_LINE.test(path))
      .map((match) => ({ match, name: toName(match[2], match[3], match[1]) })),
    ...[...read.matchAll(URL_OF_ENTITY)].map((match) => ({ match, name: readURL(match) })),
  ];
  return found.sort((a, b) => a.match.index - b.match.index).map(({ name }) => name);
}

/** The entity if the text is exactly one; `undefined` for a path or anything else. */
export function parseEntityName(text: string): EntityName | undefined {
  const given = text.trim();
  if (!/^[!#&]|^https?:|[!#&]\d{1,7}$/.test(given)) return undefined;
  const names = findEntityNames(given);
  return names.length === 1 ? names[0] : undefined;
}

export const formatEntityName = ({ number, path = "", sign }: EntityName): string =>
  `${path}${sign}${number}`;

/** May both mean the same entity? A missing project or host matches any. */
export function mayBeSame(a: EntityName, b: EntityName): boolean {
  if (a.sign !== b.sign || a.number !== b.number) return false;
  if (a.path === undefined || b.path === undefined || a.path === b.path) return true;
  return a.path.endsWith(`/${b.path}`) || b.path.endsWith(`/${a.path}`);
}

function toName(sign: string | undefined, number: string | undefined, path?: string): EntityName {
  return {
    sign: sign === "!" || sign === "&" ? sign : "#",
    number: Number(number),
    ...(path !== undefined && { path: path.toLowerCase() }),
  };
}

function readURL([, host = "", folder = "", kind, number]: RegExpExecArray): EntityName {
  const isOfGroup = folder.startsWith("groups/");
  const sign = kind === "merge_requests" ? "!" : kind === "epics" || isOfGroup ? "&" : "#";
  return toName(sign, number, `${host}/${folder.slice(isOfGroup ? "groups/".length : 0, -1)}`);
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
