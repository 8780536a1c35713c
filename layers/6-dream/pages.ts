/** The dreams' change logs on disk. Memories that git ignores have their own, so that committed files do not hint at them. */
import { join } from "node:path";
import { formatError } from "../../src/error.js";
import type { Log } from "../../src/record/log.js";
import { type Files, readText } from "../../src/seams/files.js";
import { addDream, type DreamReport, markUndone } from "./dreams-page.js";

export interface DreamPages {
  /** Adds a dream on top. Never rejects: the ledger also has the changes. */
  add(report: DreamReport): Promise<void>;
  /** Marks the dream as undone. Never rejects. */
  markUndone(id: string, time: string): Promise<void>;
}

const NAME = "DREAMS.md";

export function createDreamPages({
  files,
  folder,
  log,
}: {
  files: Files;
  /** The memory folder. */
  folder: string;
  log: Log;
}): DreamPages {
  const [shared, hidden] = [join(folder, NAME), join(folder, "private", NAME)] as const;

  return {
    async add(report) {
      const isHidden = (id: string): boolean => id.startsWith("private/") || report.keptOut?.has(id) === true;
      await put(
        shared,
        pick(report, (id) => !isHidden(id)),
      );
      await put(hidden, { ...pick(report, isHidden), refused: [], usedModel: false });
    },

    async markUndone(id, time) {
      for (const path of [shared, hidden]) await edit(path, (page) => markUndone(page, id, time));
    },
  };

  async function put(path: string, report: DreamReport): Promise<void> {
    const isEmpty = report.changes.length + report.findings.length + report.refused.length === 0;
    if (!isEmpty) await edit(path, (page) => addDream(page, report));
  }

  async function edit(path: string, change: (page: string) => string): Promise<void> {
    try {
      const before = (await readText(files, path)) ?? "";
      const after = change(before);
      if (after !== before) await files.writeWhole(path, after);
    } catch (thrown) {
      log.warn("dream", `cannot write ${path}: ${formatError(thrown)}`);
    }
  }
}

function pick(report: DreamReport, isWanted: (id: string) => boolean): DreamReport {
  return {
    ...report,
    changes: report.changes.filter(({ before }) => isWanted(before.id)),
    findings: report.findings.filter(({ ids }) => ids.every(isWanted)),
  };
}
