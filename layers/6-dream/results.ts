/**
 * Takes a tool's result apart by the files it shows, so that each part can be judged by where it comes from. The forms
 * are the host's own, seen in 1.18.33; a result in any other form is not taken apart, and then none of it is shown.
 *
 *     grep    Found 2 matches        glob    /p/src/a.ts        read    <path>/p/src/a.ts</path>
 *             /p/src/a.ts:                   /p/src/b.ts                <type>file</type>
 *               Line 3: text                                            <content>
 *                                                                       3: text
 *                                                                       </content>
 */
import { isAbsolute } from "node:path";
import { readNamedPaths } from "./sandbox.js";

export interface ResultPart {
  /** Lines of it, with line breaks between them. */
  text: string;
  /** Absolute. It is shown only where all of these may be; a remark of the host's names none. */
  paths: readonly string[];
  /** What is shown of them: their contents, as they are there, or nothing but their names. "any" is either or neither. */
  shows: "contents" | "names" | "any";
}

export interface GivenCall {
  tool: string;
  args: unknown;
  /** What it has returned. */
  text: string;
  /** Absolute. */
  project: string;
}

/** `undefined` where the form is not known. Pure. */
export function readParts(call: GivenCall): readonly ResultPart[] | undefined {
  return Object.hasOwn(FORMS, call.tool) ? FORMS[call.tool]?.(call) : undefined;
}

const FORMS: Readonly<Record<string, (call: GivenCall) => readonly ResultPart[] | undefined>> = {
  grep: readMatches,
  glob: readNames,
  read: readWholeFile,
  write: readWritten,
  bash: readOutput,
};

/** In brackets, which neither a path nor a match begins with. */
const REMARK = /^(?:No files found|Found \d+ match(?:es)?(?: \(more matches available\))?|\([^\n]*\))$/;
const MATCH = /^ {2}Line \d+:/;

function readMatches({ text }: GivenCall): ResultPart[] | undefined {
  const blocks: { lines: string[]; paths: readonly string[] }[] = [];
  for (const line of text.split("\n")) {
    const block = blocks.at(-1);
    const isInFile = (block?.paths.length ?? 0) > 0;
    if (block && (line === "" || (isInFile && MATCH.test(line)))) block.lines.push(line);
    else if (REMARK.test(line)) blocks.push({ lines: [line], paths: [] });
    else if (isAbsolute(line) && line.endsWith(":"))
      blocks.push({ lines: [line], paths: [line.slice(0, -1)] });
    else return undefined;
  }
  return blocks.map(({ lines, paths }) => ({ text: lines.join("\n"), paths, shows: "contents" }));
}

function readNames({ text }: GivenCall): ResultPart[] | undefined {
  const lines = text.split("\n");
  if (!lines.every((line) => line === "" || REMARK.test(line) || isAbsolute(line))) return undefined;
  return lines.map((line) => ({ text: line, paths: isAbsolute(line) ? [line] : [], shows: "names" }));
}

const FILE = /^<path>([^\n]+)<\/path>\n<type>(file|directory)<\/type>\n<(content|entries)>\n/;

/** What the host adds behind the file are instructions out of other files. */
function readWholeFile(call: GivenCall): ResultPart[] | undefined {
  const [head, path = "", type, tag] = FILE.exec(call.text) ?? [];
  const paths = [path, ...readNamedPaths(call.tool, call.args, call.project)];
  if (head === undefined || !isAbsolute(path)) return undefined;
  const lines = call.text.slice(head.length).split("\n");
  const end = lines.indexOf(`</${tag}>`);
  const inside = lines.slice(0, end);
  const isNumbered = (line: string): boolean => /^\d+:/.test(line) || line === "" || REMARK.test(line);
  if (end === -1 || (type === "file" && !inside.every(isNumbered))) return undefined;
  return [{ text: `${head}${[...inside, `</${tag}>`].join("\n")}`, paths, shows: "contents" }];
}

/** What the host adds is what it thinks of files, this one and others. */
function readWritten({ text }: GivenCall): ResultPart[] | undefined {
  const first = /^Wrote file successfully\.?/.exec(text)?.[0];
  return first === undefined ? undefined : [{ text: first, paths: [], shows: "any" }];
}

/** A longer output loses its beginning, and half a line with it, and stands as a whole in a file that is not to be read. */
const CUT = /^\.\.\.[^\n]*truncated\.\.\.\n\nFull output saved to: [^\n]*\n\n[^\n]*\n?/;

function readOutput({ args, project, text, tool }: GivenCall): ResultPart[] {
  const rest = text.replace(CUT, "(the beginning of the output is left out)\n");
  return [{ text: rest, paths: readNamedPaths(tool, args, project), shows: "any" }];
}
