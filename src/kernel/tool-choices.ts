/**
 * Which tools a session is offered, and whether by short definitions: what the settings say when it begins, for ever, as
 * tools stand before everything that a provider has cached. A change of the settings is recorded with its time before it
 * is first used, and a session goes by the time of its first message, which its forks have too.
 */
import { join } from "node:path";
import { formatError } from "../base/error.js";
import { list, number, object, parseJson, string, unchecked } from "../base/shape.js";
import type { Config } from "../config/schema.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import { type Files, readText } from "../io/files.js";
import type { Log } from "../io/log.js";

export type ToolChoice = Config["tools"];

type Dated = ToolChoice & { fromMs: number };

const isChoices = list(object<Dated>({ fromMs: number, short: unchecked, leaveOut: list(string) }));
const OFF: Dated = { fromMs: 0, short: false, leaveOut: [] };
/** Sessions from before the oldest have the host's own. */
const MOST_CHOICES = 50;
const WITHIN_MS = 1_000;

interface ToolChoicesOptions {
  clock: Clock;
  config: Pick<Config, "tools">;
  files: Files;
  log: Pick<Log, "warn">;
  folder: string;
}

export function createToolChoices({ clock, config, files, folder, log }: ToolChoicesOptions) {
  const now: Dated = { ...config.tools, fromMs: clock.now() };
  const path = join(folder, "choices.json");
  let opening: Promise<readonly Dated[]> | undefined;

  return {
    /** For a session that began then; without a time, for one that begins now. Never rejects. */
    async choose(begunMs: number = Number.POSITIVE_INFINITY): Promise<ToolChoice> {
      opening ??= open();
      const waited = await waitAtMost(clock, WITHIN_MS, () => opening);
      const choices = (waited.kind === "done" && waited.value) || [];
      return choices.findLast(({ fromMs }) => fromMs <= begunMs) ?? OFF;
    },
  };

  async function open(): Promise<readonly Dated[]> {
    let choices: readonly Dated[] = [];
    try {
      const known: unknown = parseJson((await readText(files, path)) ?? "[]");
      if (isChoices(known)) choices = known;
      const { leaveOut, short } = choices.at(-1) ?? OFF;
      if (short === now.short && leaveOut.join("\n") === now.leaveOut.join("\n")) return choices;
      const all = [...choices, now].slice(-MOST_CHOICES);
      await files.writeWhole(path, JSON.stringify(all));
      return all;
    } catch (thrown) {
      log.warn(
        "tools",
        `${path}: ${formatError(thrown)}; sessions have the tools that they would have had before`,
      );
      return choices;
    }
  }
}
