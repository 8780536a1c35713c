/** Writes findings: one memory for each source. */

import { inSlices } from "../../../src/base/slices.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { checkDraft } from "../../../src/memory/gate/check-draft.js";
import { LAYER } from "../injection/shown.js";
import { findAged, findKnown, mergeFinding, planFinding } from "./plan-finding.js";
import type { KeptFinding } from "./quote-chooser.js";
import { findQuotes } from "./quotes.js";
import type { Source } from "./source.js";

/** A source as read by one call. */
export interface Read {
  source: Source;
  session: string;
  /** Id of the message with the call. */
  message: string;
  /** The user's request. */
  asked: string;
  atMs: number;
}

/** Calls reject with the system's error; refusals are logged. */
export interface FindingKeeper {
  /**
   * `said`: what the agent said about a source that only it has seen. Returns the finding with this reading, if
   * any.
   */
  keep(this: void, read: Read, said?: string): Promise<KeptFinding | undefined>;
  /** Archives findings unused for `findings.maxAgeDays`. Deletes nothing. */
  archiveAged(this: void): Promise<void>;
}

export type FindingKeeperOptions = Pick<LayerContext, "clock" | "config" | "log" | "memories">;

export function createFindingKeeper(options: FindingKeeperOptions): FindingKeeper {
  const { clock, config, log, memories } = options;

  return {
    async keep({ source, ...read }, said) {
      const { text } = source;
      const asked = source.isSearch ? `${read.asked}\n${source.title}` : read.asked;
      const quotes = text === undefined ? [] : await inSlices(clock, findQuotes(text, asked));
      const input = { ...read, source: withoutText(source), quotes, said };
      const planned = planFinding(input);
      const checked = planned && checkDraft(planned);
      if (!checked) return undefined;
      if (checked.kind === "refused") {
        log.info(LAYER, `finding not kept: ${checked.why}`);
        return undefined;
      }
      const { draft } = checked;
      const cause = { operation: "extract", session: read.session, reason: `read ${source.name}` };
      const known = findKnown(await memories.list(), draft);
      // Not compared with other memories: a page changes none of them, and each quote belongs to one page.
      const written = known
        ? await memories.update(known.id, (current) => mergeFinding(current, draft), cause)
        : await memories.remember(draft, cause);
      // Reading an unchanged page again counts as use.
      if (known) memories.noteUse([known.id]);
      if (written.kind === "refused") {
        log.info(LAYER, `finding not kept: ${written.why}`);
        return undefined;
      }
      log.debug(LAYER, `${written.memory.id}: ${written.kind}`);
      return { id: written.memory.id, draft, input };
    },

    async archiveAged() {
      const days = config.findings.maxAgeDays;
      const aged = findAged(await memories.list(), { days, nowMs: clock.now(), useOf: memories.useOf });
      const cause = { operation: "archive", reason: `not used for ${days} days` };
      for (const { id } of aged) await memories.archive(id, cause);
      if (aged.length > 0) log.info(LAYER, `${aged.length} findings archived: unused for ${days} days`);
    },
  };
}

const withoutText = ({ text: _, ...source }: Source): Source => source;
