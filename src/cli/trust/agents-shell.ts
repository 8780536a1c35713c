import { readText } from "../../seams/files.js";
import type { Surroundings } from "../command.js";

/** Deeper than shells are nested. */
const MOST_ANCESTORS = 30;

/**
 * Does an agent run this command? OpenCode names itself in the environment of its tools; where that was taken out, it
 * is still among the processes above (Linux). What an agent does here is not the user's doing.
 */
export async function isInAgentsShell({ env, files }: Pick<Surroundings, "env" | "files">): Promise<boolean> {
  if (env.OPENCODE || env.OPENCODE_PID) return true;
  let id = process.ppid;
  for (let depth = 0; depth < MOST_ANCESTORS && id > 1; depth++) {
    const text = await readText(files, `/proc/${id}/stat`).catch(() => undefined);
    if (text === undefined) return false;
    // `pid (name, which may hold anything) state parent …`: proc_pid_stat(5).
    const end = text.lastIndexOf(")");
    if (/^\.?opencode/.test(text.slice(text.indexOf("(") + 1, end))) return true;
    id = Number(
      text
        .slice(end + 1)
        .trim()
        .split(" ")[1],
    );
  }
  return false;
}
