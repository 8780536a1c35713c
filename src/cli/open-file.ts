/** Opens a file in the program that the system has for it. */
import { spawn } from "node:child_process";
import { StrataError } from "../base/error.js";
import { type Clock, waitAtMost } from "../io/clock.js";

/** Rejects with a `StrataError` if no program could open the file. */
export type OpenFile = (path: string) => Promise<void>;

interface Opener {
  program: string;
  args: readonly string[];
}

/** An opener ends once another program has the file. One that still runs after this has opened it itself. */
const OPENS_WITHIN_MS = 5_000;

export function createOpenFile(platform: string, clock: Clock): OpenFile {
  return async (path) => {
    const { args, program } = planOpener(platform, path);
    const opened = await waitAtMost(clock, OPENS_WITHIN_MS, () => run(program, args));
    if (opened.kind !== "failed") return;
    const why = opened.thrown instanceof Error ? opened.thrown.message : String(opened.thrown);
    throw new StrataError("NO_OPENER", `${program} cannot open the page (${why}); open it yourself: ${path}`);
  };
}

/** `start` of Windows is a command of its shell, whose first argument in quotes is a title. */
export function planOpener(platform: string, path: string): Opener {
  if (platform === "darwin") return { program: "open", args: [path] };
  if (platform === "win32") return { program: "cmd", args: ["/c", "start", "", path] };
  return { program: "xdg-open", args: [path] };
}

function run(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { detached: true, stdio: "ignore" });
    child.once("error", (thrown: NodeJS.ErrnoException) =>
      reject(thrown.code === "ENOENT" ? new Error("it is not installed") : thrown),
    );
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`it exited with ${code}`))));
    // The program may stay open longer than this command.
    child.unref();
  });
}
