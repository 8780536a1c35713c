/**
 * Splits a tool result by the files it shows, so that each part can be checked by its source. The formats are the host's,
 * as seen in 1.18.33. A result in any other format is not shown at all.
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
  /** Lines of the result, joined with line breaks. */
  text: string;
  /** Absolute; the part is shown only if all of these may be. Empty for a remark of the host. */
  paths: readonly string[];
  /** What the part shows of the files: their exact contents, only their names, or "any": either or neither. */
  shows: "contents" | "names" | "any";
}

export interface GivenCall {
  tool: string;
  args: unknown;
  /** The tool's result. */
  text: string;
  /** Absolute. */
  project: string;
}

/** `undefined` if the format is unknown. Pure. */
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

/** Remarks of the host. Neither a path nor a match begins with a bracket. */
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

/** Leaves out what the host adds after the file: instructions from other files. */
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

/** Leaves out the diagnostics of this and other files that the host adds. */
function readWritten({ text }: GivenCall): ResultPart[] | undefined {
  const first = /^Wrote file successfully\.?/.exec(text)?.[0];
  return first === undefined ? undefined : [{ text: first, paths: [], shows: "any" }];
}

/** The host drops the beginning of a long output, up to mid-line, and names a file with the whole, which must not be read. */
const CUT = /^\.\.\.[^\n]*truncated\.\.\.\n\nFull output saved to: [^\n]*\n\n[^\n]*\n?/;

function readOutput({ args, project, text, tool }: GivenCall): ResultPart[] {
  const rest = text.replace(CUT, "(the beginning of the output is left out)\n");
  return [{ text: rest, paths: readNamedPaths(tool, args, project), shows: "any" }];
}
