/**
 * What answers need of what was there before, and how much of it their requests still show. Unlike identifiers, it is
 * not satisfied by naming things: `lines` are those that edits change, whole; `paths` are those of files that are read
 * once more, so that the agent need not search for them.
 */
import { relative } from "node:path";
import { linesToChange } from "../../src/trial/look-ups.js";
import type { ScriptStep } from "./script.js";

export interface Needs {
  lines: number;
  linesInSight: number;
  paths: number;
  pathsInSight: number;
}

/** Requests name files absolutely or from `folder`. */
export function createNeeds(folder: string) {
  const read = new Set<string>();
  const judged = new Set<ScriptStep>();
  let all: Needs = { lines: 0, linesInSight: 0, paths: 0, pathsInSight: 0 };
  return {
    get all() {
      return all;
    },
    /** An answer to a request with this text, or a look before it; each answer counts once. */
    judge(step: ScriptStep, text: string): void {
      if (judged.has(step)) return;
      judged.add(step);
      const lines = step.calls.flatMap(linesToChange);
      const named = step.calls.flatMap(({ tool, args }) =>
        tool === "read" ? String(args.filePath ?? "") : [],
      );
      const paths = [...new Set(named)].filter((path) => read.has(path));
      all = addNeeds(all, {
        lines: lines.length,
        linesInSight: lines.filter((line) => text.includes(line)).length,
        paths: paths.length,
        pathsInSight: paths.filter((path) => text.includes(relative(folder, path))).length,
      });
      for (const path of named) read.add(path);
    },
  };
}

export const addNeeds = (a: Needs, b: Needs): Needs => ({
  lines: a.lines + b.lines,
  linesInSight: a.linesInSight + b.linesInSight,
  paths: a.paths + b.paths,
  pathsInSight: a.pathsInSight + b.pathsInSight,
});
