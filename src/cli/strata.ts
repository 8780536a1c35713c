#!/usr/bin/env node

/** Entry of the command line: it runs by being loaded. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { StrataError } from "../base/error.js";
import { systemClock } from "../io/clock.js";
import { nodeFiles } from "../io/node-files.js";
import { createStyle } from "../operations/command.js";
import { commands } from "./commands.js";
import { createQuestions, createTerminal, runProgram } from "./program.js";

/** `start` of Windows is a command of its shell, which would read a `&` in the path. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a page in the program that the system has for it, which may stay open longer than this command. */
async function openFile(path: string): Promise<void> {
  const [program = "", ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, path], { detached: true, stdio: "ignore" });
  await once(child, "spawn").catch(() => {
    throw new StrataError("NO_OPENER", `${program} cannot open the page; open it yourself: ${path}`);
  });
  child.unref();
}

/** Of the built file `dist/strata.js`. */
const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));
/** What a project, or a runner such as npx, has installed stays only as long as that; a manifest shows it. */
const [holder = "", installed] = packageFolder.split(`${sep}node_modules${sep}`);
const isLent = installed !== undefined && (await nodeFiles.stat(join(holder, "package.json"))) !== undefined;

process.exitCode = await runProgram(commands, process.argv.slice(2), {
  files: nodeFiles,
  clock: systemClock,
  folder: process.cwd(),
  home: process.env.HOME || homedir(),
  env: process.env,
  style: createStyle(),
  ...(!isLent && { packageFolder }),
  openFile,
  ...(!process.stdin.isTTY && { streams: { input: process.stdin, output: process.stdout } }),
  ...(process.stdin.isTTY && process.stderr.isTTY && createQuestions(process.stdin, process.stderr)),
  onInterrupt(stop) {
    const signals = ["SIGINT", "SIGTERM"] as const;
    for (const signal of signals) process.once(signal, stop);
    return () => {
      for (const signal of signals) process.off(signal, stop);
    };
  },
  loadLayers: async () => (await import("../../layers/index.js")).layers,
  ...createTerminal(process.stdout, process.stderr, process.env),
});
