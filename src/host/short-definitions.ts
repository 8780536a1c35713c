/**
 * Short texts for OpenCode's own tools, for `tools.short`. Definitions stand at the head of every request: changing a text
 * here costs each running session its prompt cache.
 *
 * Each was written against one text of the host, and keeps what that requires of a model. The host's text is known by its
 * hash, without what differs between machines and without the list of agents, which stays. Another text may require
 * something else, so it stays as it is.
 */
import { hashOf } from "../base/hash.js";
import { estimateTextTokens } from "../context/context-size.js";
import type { OfferedTool } from "../io/host.js";
import { estimateDefinition } from "../kernel/layer.js";

/** What differs between machines, by tool. `$1` in a short text is the first of them. */
const HOLES: Readonly<Record<string, RegExp>> = {
  bash: /(?<=\bOS: )[^,\n]+|(?<=\bShell: )\S+|(?<=^Use `)[^`]+(?=` for temporary work)|\d+(?=ms\.)|(?<=exceeds )\d+(?= lines)|(?<= or )\d+(?= bytes)/gm,
  shell: /(?<=run on )\S+(?= using )|(?<= using )\S+(?=\. Quote)/g,
};

/** By the beginning of the hash of the host's text; first those of OpenCode 1, then those of 2. */
const TEXTS: Readonly<Record<string, string>> = {
  // bash
  bf4e4395f4e5: `Run a command in a persistent shell ($2 on $1). Set \`workdir\` instead of cd. Quote paths that have spaces. \`timeout\` is $4 ms unless set. For temporary files outside the workspace use \`$3\`, which exists and is allowed. Output over $5 lines or $6 bytes is cut and saved whole to a file for Read or Grep: do not shorten it with head or tail. For files use Read, Edit, Write, Glob and Grep instead of cat, sed, echo, find or grep, and speak to the user in your answer, not by echo. Make independent calls in parallel; join dependent commands with && (with ; if failures do not matter), never by a newline. Look whether a parent folder exists before you create something in it.
Git: commit, amend, push or open a pull request only when asked. First look at status, diff and log (for a pull request at all its commits and the diff from the base). Stage only what is meant and no secrets; write short messages in the repository's style. Never change git's configuration, skip hooks, use -i, force-push or make empty commits unless asked; after a failed commit fix it and make a new one, do not amend. Use gh for GitHub and return the pull request's URL.`,
  // edit
  "2261417339b0":
    "Replace exact text in a file. Read the file in this conversation first, else it fails. Copy oldString with its indentation and without the line number prefix of Read (`1: `). It fails if oldString is missing or found more than once: add surrounding lines, or set `replaceAll`, as for renaming. Prefer editing to creating files. No emojis unless asked.",
  // glob
  "111f64438da4":
    "Find files by a glob pattern such as src/**/*.ts; returns paths. Make several useful searches at once; for an open-ended search use Task.",
  // grep
  ca1c54463646:
    "Search file contents by regular expression; returns paths and matching lines with their numbers. `include` filters files, such as *.{ts,tsx}. To count matches run rg in Bash, not grep. For an open-ended search use Task.",
  // question
  "3133ed46b195":
    'Ask the user while you work: preferences, what is unclear, which way to go. A free answer is always offered (`custom`), so add no "Other". Put the option that you recommend first, with "(Recommended)" behind it. `multiple` allows several. The answers are lists of labels.',
  // read
  "97355e60233e":
    "Read a file, folder, image or PDF by its absolute path; a missing path is an error. Returns up to 2000 lines from `offset` (the first is 1), each as `<line>: <content>`; entries of a folder one a line, folders with /. A line is cut at 2000 characters. Read several files at once, and large parts, not slices of 30 lines. Find paths with Glob, and text in large files with Grep.",
  // task
  "82c0722f3afc":
    "Give a complex task to an agent of the type `subagent_type`. It knows nothing of this conversation, unless `task_id` (in its result) continues an earlier one: say in detail what to do, whether to write code or only find out, how to verify it, and what to report. Only its last message comes back, and the user does not see it: sum it up. Start independent agents in one message; do not do their work yourself; trust their results. One in the background reports by itself. For a known file or a definition use Read, Glob or Grep; if no agent fits, other tools. Use an agent unasked where its description says so.",
  // todowrite
  "702d619d0784":
    "Keep a list of todos for work of three or more steps, for several requests, or when asked; not for a simple task or a question. If in doubt, use it. Each is pending, in_progress, completed or cancelled; exactly one is in_progress while work remains. Write changes at once: in_progress before you begin, completed only when it is done and verified, new instructions and follow-ups when they come. What is blocked stays in_progress, with a todo for what blocks it. Make items specific, and keep the user's commands word for word.",
  // skill
  fb78b65c4b7e:
    "Load a skill by its name in the system prompt when the task matches it: its instructions, and the files that belong to it.",
  // webfetch
  e002acfb8419:
    "Fetch a complete URL (http becomes https) as markdown, text or html; read-only. A very large page may be summarized. Prefer a tool that fits better, if there is one.",
  // write
  f51167792ab0:
    "Write a whole file; an existing one is replaced, and must have been read first in this conversation, else it fails. Prefer editing. Create files, above all documentation (*.md), and use emojis only when asked.",
  // apply_patch
  c4f74868d0f4:
    "Edit files with a patch: `*** Begin Patch`, for each file a header and what belongs to it, `*** End Patch`. Headers: `*** Add File: PATH`, where every line that follows begins with +; `*** Delete File: PATH`; `*** Update File: PATH`, with `*** Move to: PATH` to rename it, and then hunks: `@@ def greet():` names the place, lines begin with -, + or a space.",
  // edit
  "4194c06076ef":
    "Replace exact text in a file. oldString must occur exactly once, else it fails: add surrounding text, or set `replaceAll`, as for renaming. Copy it with its indentation and without the line number prefix of read (`1: `).",
  // execute
  d8c4839b954e:
    'Run JavaScript that calls tools and `fetch` and combines their results. It has no imports, files or timers, and of tools only those in the Code Mode catalog or returned by `search`, by their exact path and signature: `tools.<namespace>["tool-name"](input)`. Await every call that matters, independent ones with `Promise.all`; unfinished ones are interrupted. Return the result, else the last expression counts.',
  // question
  f1f6cb9f895d:
    'Ask the user while you work: preferences, what is unclear, which way to go. A free answer is always offered, so add no option for it. Put the option that you recommend first, with "(Recommended)" behind it. `multiple` allows several.',
  // read
  e6ecb6c16212:
    "Read a text file, folder, image or PDF. Lines come as `<line>: <content>`; the prefix is not part of the file. `offset` and `limit` read a section: prefer large ones, and grep to find something in a large file.",
  // shell
  "4dd29c58297c":
    "Run a command with $2 on $1. Quote paths that have spaces or special characters. Prefer other tools where they can do it. Large output is saved whole to a file and cut here, so filter only what you do not need. A `background` command returns at once, has no timeout of its own, and you are told when it ends.",
  // subagent
  "8288300a4700":
    "Give a task to an agent in a session of its own. It knows nothing of this one: put everything into the prompt, or continue an earlier one by its `sessionID`, which its result has. You get its last answer. With `background` it returns at once and you are told when it ends: only for independent work.",
};

const AGENTS = /\n+Available (?:agent types|subagents)\b[\s\S]*$/;

/** The short text; `undefined` if the host's is not known. Pure. */
export function shortenDescription(name: string, description: string): string | undefined {
  const agents = AGENTS.exec(description)?.[0] ?? "";
  const own = description.slice(0, description.length - agents.length);
  const holes = Object.hasOwn(HOLES, name) ? HOLES[name] : undefined;
  const values = holes ? (own.match(holes) ?? []) : [];
  const text = TEXTS[hashOf((holes ? own.replace(holes, "…") : own).trim()).slice(0, 12)];
  return text && `${text.replace(/\$(\d)/g, (_, at) => values[at - 1] ?? "")}${agents}`;
}

/** Tokens. Pure. */
export const countSaved = (description: string, short: string): number =>
  estimateTextTokens(description) - estimateTextTokens(short);

/** What a definition costs as it is sent, and what its short form saves, or would save. Pure. */
export function measureTool(
  { description, name, parameters }: { name: string; description: string; parameters: unknown },
  sent: number | undefined,
): Omit<OfferedTool, "called"> {
  const short = sent === undefined ? shortenDescription(name, description) : undefined;
  const saved = sent ?? (short === undefined ? 0 : countSaved(description, short));
  return {
    ...{ name, tokens: estimateDefinition({ name, description, parameters }) },
    ...(saved > 0 && { shorter: { tokens: saved, isSent: sent !== undefined } }),
  };
}
