/**
 * What the dream's model may do with tools, and what it sees of their results. A call is checked as written and again with
 * links resolved. Results are checked by the files they come from, because a search returns files that no call named.
 *
 * Secrets are looked for in the whole of each shown file, not in the result alone: a fragment of a key, or a key whose
 * name is on the line above, is not recognisable by itself.
 */
import { join, relative } from "node:path";
import type { Clock } from "../../src/seams/clock.js";
import { type Files, readText } from "../../src/seams/files.js";
import type { ToolBounds } from "../../src/seams/host.js";
import { lookForSecrets, removeSecrets } from "../../src/secrets/secrets.js";
import { inSlices, type Sliced } from "../../src/slices.js";
import { type ResultPart, readParts } from "./results.js";
import { findEscape, findOutside, readNamedPaths, type Sandbox } from "./sandbox.js";

/** One line of a key, and the name of the key. */
interface Piece {
  text: string;
  name: string;
}

/** In bytes; larger files are generated, and of no use to a dream. */
const LARGEST_LOOKED_INTO = 262_144;
/** In characters. The host truncates longer lines, and a truncated key is not recognisable. */
const LONGEST_LINE = 1_900;
/** In characters: the last line of an armoured key can be this short; shorter pieces occur in any text. */
const SHORTEST_PIECE = 4;
/** A file with more is a key store. */
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
      // The host's reply to an invalid call only repeats the model's input.
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

  /** `undefined` if the part must not be shown. */
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

  /** The lines of the keys in a file; `undefined` if the file cannot be searched. */
  async function findPieces(path: string, shows: ResultPart["shows"]): Promise<readonly Piece[] | undefined> {
    const stat = await files.stat(path);
    if (!stat) return shows === "any" ? [] : undefined;
    if (stat.kind === "folder") return [];
    if (stat.kind !== "file" || stat.bytes > LARGEST_LOOKED_INTO) return undefined;
    const text = (await readText(files, path)) ?? "";
    // UTF-16 has NUL bytes inside every key.
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

/** Replaces these pieces by the names of their keys, and removes whatever else looks like a key. */
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
