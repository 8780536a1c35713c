/** Finds memories taken from files that now state something else. Reads the files, changes nothing. */
import { join } from "node:path";
import { checkFacts } from "../../bootstrap/check-facts.js";
import { readTaken } from "../../bootstrap/taken.js";
import { idOf, type ReadShelf } from "../memory-files.js";
import type { Project } from "../project.js";
import { type Issue, warning } from "./issue.js";

/** As `strata bootstrap` reads them. */
const MOST_BYTES = 24 * 1024 * 1024;

export async function findFactIssues(
  { cli, root }: Project,
  shelves: readonly ReadShelf[],
): Promise<Issue[]> {
  const paths = new Map<string, string>();
  const taken = shelves.flatMap(({ looked, place }) =>
    looked.flatMap(({ path, reading }) => {
      if (reading.kind !== "memory" || !readTaken(reading.memory)) return [];
      paths.set(idOf(place, path), join(place.folder, path));
      return [reading.memory];
    }),
  );
  if (taken.length === 0) return [];
  const { changes, doubted } = await checkFacts(taken, {
    ...{ files: cli.files, project: root, nowMs: cli.clock.now(), maxBytes: MOST_BYTES },
  });
  const changed = changes.map(({ before, file, reason = `${file} has changed` }) =>
    warning({ file: paths.get(before.id) ?? before.id, what: reason, todo: RENEW }),
  );
  const left = [...doubted].map(([id, file]) =>
    warning({
      file: paths.get(id) ?? id,
      what: `${file} cannot be read, or says otherwise; the memory was changed by hand`,
      todo: `edit the memory so that it says what ${file} says, or archive it`,
    }),
  );
  return [...changed, ...left];
}

const RENEW = "strata bootstrap or the next dream renews it with its file";
