#!/usr/bin/env node
/** The command line. Exit codes: 0 done, 1 failed, 2 not understood. */
import { parseArgs } from "node:util";
import { formatError } from "../error.js";
import { nodeFiles } from "../seams/node-files.js";
import { VERSION } from "../version.js";
import { findProject, formatStatus, readStatus } from "./status.js";

const HELP = `strata ${VERSION}, the memory and context stack for OpenCode

  strata status [--json]   what has left the context in this project, and where it lies
  strata --version
  strata --help

Example: strata status --json | jq .savings.net
`;

process.exitCode = await run(process.argv.slice(2));

async function run(args: string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
    if (values.version) return say(VERSION);
    if (values.help || positionals.length === 0) return say(HELP.trimEnd());
    if (positionals.join(" ") !== "status")
      return refuse(`"${positionals.join(" ")}" is no command of strata`);
    const status = await readStatus(nodeFiles, await findProject(nodeFiles, process.cwd()));
    return say(values.json ? JSON.stringify(status, null, 2) : formatStatus(status));
  } catch (thrown) {
    const isUsage = (thrown as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") ?? false;
    if (isUsage) return refuse(formatError(thrown));
    console.error(`strata: ${formatError(thrown)}`);
    return 1;
  }
}

function say(text: string): number {
  console.log(text);
  return 0;
}

function refuse(what: string): number {
  console.error(`strata: ${what}\n\n${HELP.trimEnd()}`);
  return 2;
}
