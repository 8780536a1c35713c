/** What a replay answers when it is asked for a summary: about 1,000 tokens, made from what was asked and said. */
import { HOST } from "../host/stage/which-host.js";
import type { ScriptStep, ScriptTurn } from "./script.js";

/** Characters kept of one request or answer. */
const REQUEST_CHARACTERS = 400;
const ANSWER_CHARACTERS = 300;
/** How many of the latest count. */
const REQUESTS = 4;
const ANSWERS = 12;
const DONE = 4;
const FILES = 30;

/** `turns` were asked for so far, `given` are the answers to them. */
export function writeSummary(turns: readonly ScriptTurn[], given: readonly ScriptStep[]): string {
  const asked = turns.slice(-REQUESTS).map(({ user }) => user.slice(0, REQUEST_CHARACTERS));
  const said = given.filter(({ say }) => say !== "").map(({ say }) => say.replaceAll("\n", " "));
  const shortened = said.map((text) => text.slice(0, ANSWER_CHARACTERS));
  const paths = given.flatMap(({ calls }) => calls.flatMap(({ args }) => args.filePath ?? []));
  return [
    section(HOST === 1 ? "Goal" : "Objective", asked),
    section("Discoveries", shortened.slice(-ANSWERS)),
    section("Accomplished", shortened.slice(-DONE)),
    section("Relevant files", [...new Set(paths.map(String))].slice(-FILES)),
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return [`## ${title}`, ...lines.map((line) => `- ${line}`)].join("\n");
}
