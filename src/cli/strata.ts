#!/usr/bin/env node
/** Entry of the command line. */
import { homedir } from "node:os";
import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../io/clock.js";
import { nodeFiles } from "../io/node-files.js";
import { createStyle } from "../operations/style.js";
import { commands } from "./commands.js";
import { createOpenFile } from "./open-file.js";
import { runProgram } from "./program.js";
import { createTerminal } from "./terminal.js";

/** Of the built file `dist/strata.js`. */
const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));

process.exitCode = await runProgram(commands, process.argv.slice(2), {
  files: nodeFiles,
  clock: systemClock,
  folder: process.cwd(),
  home: process.env.HOME || homedir(),
  env: process.env,
  style: createStyle(),
  ...(!packageFolder.includes(`${sep}node_modules${sep}`) && { packageFolder }),
  openFile: createOpenFile(process.platform, systemClock),
  ...(!process.stdin.isTTY && { streams: { input: process.stdin, output: process.stdout } }),
  ...(process.stdin.isTTY &&
    process.stderr.isTTY && {
      async ask(question: string) {
        const { createInterface } = await import("node:readline/promises");
        const asking = createInterface({ input: process.stdin, output: process.stderr });
        const answer = await asking.question(`${question} [y/N] `).finally(() => asking.close());
        return /^y(es)?$/i.test(answer.trim());
      },
    }),
  onInterrupt(stop) {
    const signals = ["SIGINT", "SIGTERM"] as const;
    for (const signal of signals) process.once(signal, stop);
    return () => {
      for (const signal of signals) process.off(signal, stop);
    };
  },
  loadLayers: async () => (await import("../../layers/index.js")).layers,
  ...createTerminal(process.stdout, process.stderr),
});
