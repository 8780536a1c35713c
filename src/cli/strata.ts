#!/usr/bin/env node
/** The command line as the shell starts it. */
import { homedir } from "node:os";
import { systemClock } from "../seams/clock.js";
import { nodeFiles } from "../seams/node-files.js";
import { commands } from "./commands.js";
import { runProgram } from "./program.js";
import { createStyle } from "./style.js";

// Whoever reads may have seen enough, as `head` has: that is no failure, and no reason to leave work half-done.
const closed = new Set<NodeJS.WriteStream>();
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    closed.add(stream);
  });
}
const print = (stream: NodeJS.WriteStream, text: string): void => {
  if (!closed.has(stream)) stream.write(text);
};

process.exitCode = await runProgram(commands, process.argv.slice(2), {
  files: nodeFiles,
  clock: systemClock,
  folder: process.cwd(),
  home: process.env.HOME || homedir(),
  env: process.env,
  style: createStyle(),
  say: (text) => print(process.stdout, `${text}\n`),
  warn: (text) => print(process.stderr, `${text}\n`),
  ...(process.stderr.isTTY === true && { draw: (text) => print(process.stderr, text) }),
});
