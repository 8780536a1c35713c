import { layers } from "../../layers/index.js";
import { commands } from "../../src/cli/commands.js";
import { runProgram } from "../../src/cli/program.js";
import type { Clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import type { Host } from "../../src/io/host.js";
import type { Get } from "../../src/io/post.js";
import type { LayerDefinition } from "../../src/kernel/layer-context.js";
import { plainStyle } from "../../src/operations/command.js";
import { createFakeClock } from "./fake-clock.js";
import { PROJECT } from "./fake-host.js";

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs a `strata` command line on these files. */
export async function runStrata(
  files: Files,
  line: string,
  {
    folder = PROJECT,
    env = {},
    layers: stack = layers,
    clock = createFakeClock(),
    packageFolder,
    opened = [],
    stopsAfter,
    answers,
    presses,
    isInTerminal = false,
    get,
    generate,
  }: {
    folder?: string;
    env?: Record<string, string>;
    layers?: readonly LayerDefinition[];
    clock?: Clock;
    packageFolder?: string;
    /** Files that were opened. */
    opened?: string[];
    /** Replaces the network. */
    get?: Get;
    /** Replaces the model. */
    generate?: Host["generate"];
    /** What is answered to questions; without it nobody can be asked. */
    answers?: boolean;
    /** The key that is pressed; without it nobody is there. */
    presses?: string;
    /** Somebody sees the command run. */
    isInTerminal?: boolean;
    /** Ctrl-C is pressed when so many lines were printed. */
    stopsAfter?: number;
  } = {},
): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  let press = (): void => {};
  const code = await runProgram(commands, line.split(" ").filter(Boolean), {
    files,
    clock,
    folder,
    home: "/home/me",
    env,
    style: plainStyle,
    loadLayers: async () => stack,
    ...(packageFolder !== undefined && { packageFolder }),
    ...(get && { get }),
    ...(generate && { generate }),
    ...(answers !== undefined && { ask: async () => answers }),
    ...(presses !== undefined && { press: async () => presses }),
    ...(isInTerminal && { draw() {} }),
    openFile: async (path) => void opened.push(path),
    onInterrupt(stop) {
      press = stop;
      return () => {};
    },
    say: (text) => {
      out.push(text);
      if (out.length === stopsAfter) press();
    },
    warn: (text) => void err.push(text),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}
