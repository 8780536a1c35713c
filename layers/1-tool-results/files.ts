import { createDecisions } from "../../src/context/decisions.js";
import { isResultPath } from "../../src/context/result-files.js";
import { type ExpiryWorld, type FileKind, STATE_DAYS } from "../../src/kernel/file-kinds.js";

export const files: readonly FileKind[] = [
  {
    path: ".opencode/tool-results/<id>.txt",
    expiry: { what: "a tool result that no session refers to", days: STATE_DAYS, openNeeds: openReferred },
  },
  { path: ".opencode/tool-results/.gitignore" },
];

/** Whether the file is not ours, or a recorded decision refers to it. */
function openReferred({ clock, files, folders }: ExpiryWorld): (path: string) => Promise<boolean> {
  let referred: Promise<ReadonlySet<string>> | undefined;
  return async (path) => {
    referred ??= readReferred();
    return !isResultPath(path) || (await referred).has(path);
  };

  async function readReferred(): Promise<ReadonlySet<string>> {
    const log = { error() {}, warn() {}, info() {}, debug() {} };
    const { decisions: folder, toolResults: resultsFolder } = folders;
    const decisions = createDecisions({ clock, files, log, folder, resultsFolder });
    const paths = new Set<string>();
    for (const day of await decisions.days())
      for (const { file } of await decisions.read(day)) if (file !== undefined) paths.add(file);
    return paths;
  }
}
