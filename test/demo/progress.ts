/** Tells the story while it is played: what the user says, each tool call with what became of its result. */
import { basename, dirname } from "node:path";
import { formatCount } from "../../src/format.js";
import type { ModelRequest } from "../host/stage/model-request.js";
import type { Outcome } from "./outcome.js";
import type { Style } from "./style.js";

export interface Progress {
  user(text: string): void;
  /** A result as the model was sent it; paths are shown relative to the project. */
  result(outcome: Outcome, projectPath: string): void;
  /** The end of a turn, with the requests it took. */
  answer(text: string, requests: readonly ModelRequest[]): void;
}

const CALL_WIDTH = 58;

/** Progress on standard output. */
export function createProgress(style: Style): Progress {
  return {
    user(text) {
      console.log(`\n${style.bold("user")}   ${text}`);
    },
    result(outcome, projectPath) {
      const call = shorten(describeCall(outcome, projectPath), CALL_WIDTH);
      console.log(`       ${call.padEnd(CALL_WIDTH)} ${formatFate(outcome, style)}`);
    },
    answer(text, requests) {
      const last = requests.at(-1);
      const sent = `${requests.length} requests, the last of ${formatCount(last?.promptTokens ?? 0)} tokens`;
      console.log(`${style.bold("agent")}  ${text}\n       ${style.dim(sent)}`);
    },
  };
}

function formatFate({ wholeBytes, sentBytes, standing }: Outcome, style: Style): string {
  const whole = `${formatCount(wholeBytes).padStart(7)} bytes`;
  const sent = formatCount(sentBytes).padStart(6);
  if (standing === "preview") return `${whole} → ${style.green(`${sent}, a preview`)}`;
  if (standing === "cut") return `${whole} → ${style.yellow(`${sent}, cut by OpenCode`)}`;
  return whole;
}

/** The tool and what the call is about: "bash git log -p". Paths are shown relative to the project. */
export function describeCall(outcome: Outcome, projectPath: string): string {
  return `${outcome.tool} ${describeArguments(outcome, projectPath)}`;
}

function describeArguments({ tool, args }: Outcome, projectPath: string): string {
  const shorter = (path: unknown): string => shortenPath(String(path), projectPath);
  const text = (value: unknown): string => String(value ?? "");
  switch (tool) {
    case "bash":
      return text(args.command).replace(/\/\S+/g, (path) =>
        path.startsWith(projectPath) ? shorter(path) : path,
      );
    case "read": {
      const lines =
        args.offset === undefined ? "" : `, ${text(args.limit)} lines from ${text(args.offset)} on`;
      return `${shorter(args.filePath)}${lines}`;
    }
    case "grep": {
      const place =
        args.path === undefined ? text(args.include) : shorter(`${text(args.path)}/${text(args.include)}`);
      return `${text(args.pattern)} in ${place}`;
    }
    case "glob":
      return text(args.pattern);
    default:
      return JSON.stringify(args);
  }
}

/** Files of the project by their place in it; kept results, whose names say nothing, by the beginning of the name. */
function shortenPath(path: string, projectPath: string): string {
  const name = basename(path);
  if (/\/tool-(results|output)$/.test(dirname(path)))
    return `${basename(dirname(path))}/${name.slice(0, 8)}…`;
  return path.startsWith(`${projectPath}/`) ? path.slice(projectPath.length + 1) : path;
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
