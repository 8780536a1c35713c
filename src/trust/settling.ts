/** Decides whose undecided files are, and writes it down. */
import { randomUUID } from "node:crypto";
import { DAY_MS } from "../days.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { Git } from "../seams/git.js";
import { findBroughtFiles } from "./brought-files.js";
import { readOwnCommits } from "./git-log.js";
import type { Identity } from "./identity.js";
import type { NamedContents, RecordLine, TrustRecord } from "./record.js";
import type { TrustTeller } from "./teller.js";
import { KEPT_DAYS, type Turns } from "./turns.js";
import { type FoundFile, judge } from "./verdict.js";

/** Whether they are decided now; if not, they are to be given again. Rejects with the system's error. */
export type Settle = (undecided: readonly FoundFile[], place: Settled) => Promise<boolean>;

export interface SettlingOptions {
  clock: Clock;
  files: Files;
  /** Without it every change that git might have brought is foreign. */
  git: Git | undefined;
  /** Did an earlier version keep here what is found at the first look? */
  isKeptHere?: () => Promise<boolean | "unknown">;
  kind: "project" | "global";
  teller?: TrustTeller;
  turns: Turns;
}

interface Settled {
  identity: Identity;
  record: TrustRecord;
  /** Decides for this process only. */
  isBrief: boolean;
  /** When the files were looked at before; `undefined` when they never were. */
  sinceMs: number | undefined;
}

/** In the records: why something is not the user's. */
export const FROM_AGENT = "agent" as const;

export function createSettling(options: SettlingOptions): Settle {
  const { clock, files, git, kind, teller, turns } = options;
  let kept: Promise<boolean | "unknown"> | undefined;

  return async (undecided, { identity, isBrief, record, sinceMs }) => {
    const ground = {
      sinceMs,
      isForeign: record.isForeign,
      isKnownOwn: record.isKnownOwn,
      isInTurn: await turns.findWindows(sinceMs ?? 0),
      firstSeen: kind === "project" ? ("foreign" as const) : ("own" as const),
    };
    const wasKept = sinceMs === undefined && kind === "project" && (await isKeptHere());
    if (wasKept === "unknown") return false;
    if (wasKept) {
      await record.add(planAcceptance(undecided, "an earlier version kept them here", clock.now()));
      teller?.tellAccepted(undecided.length);
      return true;
    }
    const verdicts = undecided.map((file) => ({ file, verdict: judge(file, ground) }));
    const of = (wanted: string) =>
      verdicts.flatMap(({ file, verdict }) => (verdict === wanted ? [file] : []));
    const byHand = await splitBrought({ identity, record }, of("unless-brought"));
    const put = async (line: RecordLine & { files: readonly NamedContents[] }): Promise<void> => {
      if (line.files.length === 0) return;
      if (line.op === "foreign") teller?.tellForeign(line.why, line.files.length);
      if (isBrief) record.note(line);
      else await record.add(line);
    };
    const brought = [...of("found"), ...byHand.brought];
    await put({ op: "foreign", why: "repository", files: brought.map(toNamed) });
    await put({ op: "foreign", why: FROM_AGENT, files: of(FROM_AGENT).map(toNamed) });
    await put({ op: "own", files: [...of("own"), ...byHand.own].map(toNamed) });
    return true;
  };

  /** Asked until there is an answer. */
  function isKeptHere(): Promise<boolean | "unknown"> {
    kept ??= (async () => {
      const answer = (await options.isKeptHere?.()) ?? false;
      if (answer === "unknown") kept = undefined;
      return answer;
    })();
    return kept;
  }

  /** Where git is not there to say, what could have been brought counts as brought. */
  async function splitBrought(
    { identity, record }: Pick<Settled, "identity" | "record">,
    given: readonly FoundFile[],
  ): Promise<{ own: FoundFile[]; brought: FoundFile[] }> {
    if (given.length === 0 || kind === "global") return { own: [...given], brought: [] };
    const broughtPaths = await findBroughtFiles(given, {
      files,
      git,
      readOwnCommits: async (place) =>
        readOwnCommits(files, place, {
          // What is no log of this work tree's has no end that is known: nobody is taken for its author.
          logEnd: record.logOf(identity.root),
          knownSinceMs: place.own === identity.git?.own ? clock.now() - KEPT_DAYS * DAY_MS : Infinity,
          isInTurn: await turns.findWindows(0),
        }),
    });
    const isBrought = ({ path }: FoundFile): boolean => broughtPaths.has(path);
    return { own: given.filter((file) => !isBrought(file)), brought: given.filter(isBrought) };
  }
}

export function planAcceptance(given: readonly NamedContents[], why: string, nowMs: number): RecordLine {
  const at = new Date(nowMs).toISOString();
  return { op: "accept", run: randomUUID().slice(0, 8), at, why, files: given.map(toNamed) };
}

export const toNamed = ({ hash, name }: NamedContents): NamedContents => ({ name, hash });
