/**
 * What the dream's model may do with tools and what it sees of their results. A call is judged as it is spelt and as it
 * is once links are followed; a result once more by the files it comes from, because a search finds what nobody named.
 *
 * What is left of a result is searched for keys in the whole of the files it shows: a piece of a key, or one whose
 * name stands on the line above, does not look like one by itself.
 */
import { join, relative } from "node:path";
import type { Clock } from "../../src/seams/clock.js";
import { type Files, readText } from "../../src/seams/files.js";
import type { ToolBounds } from "../../src/seams/host.js";
import { lookForSecrets, removeSecrets } from "../../src/secrets/secrets.js";
import { inSlices, type Sliced } from "../../src/slices.js";
import { type ResultPart, readParts } from "./results.js";
import { findEscape, findOutside, readNamedPaths, type Sandbox } from "./sandbox.js";

/** A piece of a key on one line, and what it is a piece of. */
interface Piece {
  text: string;
  name: string;
}

/** Larger files hold what machines write, which a dream has no use for. */
const LARGEST_LOOKED_INTO = 262_144;
/** The host cuts longer lines, and half a key does not look like one. */
const LONGEST_LINE = 1_900;
/** The last line of a key in armour may be as short; shorter pieces stand in any text. */
const SHORTEST_PIECE = 4;
/** A file with more is one for keys. */
const MOST_PIECES = 500;

export function createBounds(
  { clock, files }: { clock: Pick<Clock, "now" | "pause">; files: Files },
  sandbox: Sandbox,
): Pick<ToolBounds, "cleanResult" | "findEscape"> {
  const { privateFolders, project } = sandbox;

  return {
    async findEscape(tool, args) {
      const why = findEscape(tool, args, sandbox);
      if (why !== undefined || tool === "write") return why;
      for (const path of readNamedPaths(tool, args, project)) {
        const behind = await findBehind(path);
        if (behind !== undefined) return `${path} is a link: ${behind}`;
      }
      return undefined;
    },

    async cleanResult(tool, args, text) {
      // The host's own answer to a call that it could not make repeats what the model wrote, and nothing else.
      if (tool === "invalid") return (await inSlices(clock, removeSecrets(text))).text;
      const parts = readParts({ tool, args, text, project });
      if (!parts) return "(not shown: the result has a form that is not known, or is too long; ask for less)";
      const shown: string[] = [];
      let leftOut = 0;
      for (const part of parts) {
        const clean = await cleanPart(part);
        if (clean === undefined) leftOut++;
        else shown.push(clean);
      }
      if (leftOut > 0) shown.push("(some of it is private, or cannot be searched for keys, and is left out)");
      return shown.join("\n");
    },
  };

  async function findBehind(path: string): Promise<string | undefined> {
    const place = await files.realPath(path);
    if (place === undefined) return undefined;
    const root = (await files.realPath(project)) ?? project;
    const realFolders = privateFolders.map((folder) => join(root, relative(project, folder)));
    return findOutside(place, { project: root, privateFolders: realFolders });
  }

  /** `undefined` where it must not be shown. */
  async function cleanPart({ paths, shows, text }: ResultPart): Promise<string | undefined> {
    const pieces = new Map<string, string>();
    for (const path of paths) {
      if ((findOutside(path, sandbox) ?? (await findBehind(path))) !== undefined) return undefined;
      const found = shows === "names" ? [] : await findPieces(path, shows);
      if (!found) return undefined;
      for (const { name, text: piece } of found) pieces.set(piece, name);
    }
    return pieces.size > MOST_PIECES ? undefined : inSlices(clock, hide(text, pieces));
  }

  /** The keys in a file, by line; `undefined` where it cannot be told. */
  async function findPieces(path: string, shows: ResultPart["shows"]): Promise<readonly Piece[] | undefined> {
    const stat = await files.stat(path);
    if (!stat) return shows === "any" ? [] : undefined;
    if (stat.kind === "folder") return [];
    if (stat.kind !== "file" || stat.bytes > LARGEST_LOOKED_INTO) return undefined;
    const text = (await readText(files, path)) ?? "";
    // In UTF-16 there is such a character in every key.
    if (text.includes("\0")) return undefined;
    const secrets = await inSlices(clock, lookForSecrets(text));
    return secrets.flatMap(({ end, name, start }) =>
      text
        .slice(start, end)
        .split(/\r?\n|\r/)
        .map((line) => ({ text: line.trim(), name }))
        .filter((piece) => piece.text.length >= SHORTEST_PIECE),
    );
  }
}

/** The text without these, by what each is a piece of, and without what looks like a key by itself. */
function* hide(text: string, pieces: ReadonlyMap<string, string>): Sliced<string> {
  const lines = text
    .split("\n")
    .map((line) => (line.length > LONGEST_LINE ? `(a line of ${line.length} characters)` : line));
  let hidden = lines.join("\n");
  const longestFirst = [...pieces].sort(([one], [other]) => other.length - one.length);
  for (const [piece, name] of longestFirst) {
    yield;
    hidden = hidden.replaceAll(piece, () => `[removed: ${name}]`);
  }
  return (yield* removeSecrets(hidden)).text;
}
