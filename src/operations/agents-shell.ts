import { readText } from "../io/files.js";
import type { CliContext } from "./command.js";

/** Shells are not nested deeper than this. */
const MOST_ANCESTORS = 30;

/**
 * Does an agent run this command? OpenCode sets a variable for its tools; if that was removed, it is still one of the
 * parent processes (Linux). What an agent does through the command line does not count as the user's.
 */
export async function isInAgentsShell({ env, files }: Pick<CliContext, "env" | "files">): Promise<boolean> {
  if (env.OPENCODE || env.OPENCODE_PID) return true;
  let id = process.ppid;
  for (let depth = 0; depth < MOST_ANCESTORS && id > 1; depth++) {
    const text = await readText(files, `/proc/${id}/stat`).catch(() => undefined);
    if (text === undefined) return false;
    // proc_pid_stat(5): `pid (name) state parent …`; the name may contain anything.
    const end = text.lastIndexOf(")");
    if (/^\.?opencode/.test(text.slice(text.indexOf("(") + 1, end))) return true;
    const [, parent] = text
      .slice(end + 1)
      .trim()
      .split(" ");
    id = Number(parent);
  }
  return false;
}
