/** Which tools a request of OpenCode 2 offers the model: leaves some out, shortens definitions, and measures what is sent. */
import { compileGlob } from "../../base/glob.js";
import { isRecord, object, oneOf, type PlainRecord, string, unchecked } from "../../base/shape.js";
import { estimateTextTokens } from "../../context/context-size.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { OfferedTool, OfferedTools } from "../../io/host.js";
import type { ToolChoice } from "../../kernel/tool-choices.js";
import type { ContextEvent, SetupContext } from "./contract.js";
import { readToolName } from "./stored.js";

export type Offer = ReturnType<typeof createOffer>;

interface Last {
  tools: PlainRecord;
  system: unknown;
  choice: ToolChoice;
}

/** The tools in Code Mode are listed in the system prompt, from this heading on. */
const CATALOG = /^# Code Mode$[\s\S]*/m;
const CATALOG_TOOL = "execute";
const WITHIN_MS = 5_000;

export function createOffer({ clock, context }: { clock: Clock; context: SetupContext }) {
  /** Of the last request, as the host made it. */
  let last: Last | undefined;

  return {
    /** Changes what the request offers. */
    async apply(event: ContextEvent, choice: ToolChoice): Promise<void> {
      const { system, tools } = event;
      if (!isRecord(tools)) return;
      last = { tools, system, choice };
      if (!choice.short && choice.leaveOut.length === 0) return;
      const shorten = choice.short ? (await import("../short-definitions.js")).shortenDescription : undefined;
      const isLeftOut = findLeftOut(choice);
      const offered = Object.entries(tools).filter(([name]) => !isLeftOut(name));
      event.tools = Object.fromEntries(
        offered.map(([name, tool]) => {
          const description = isDefinition(tool) ? shorten?.(name, tool.description) : undefined;
          return [name, description === undefined ? tool : { ...(tool as object), description }];
        }),
      );
    },

    /** `undefined` before the first request. */
    async list(): Promise<OfferedTools | undefined> {
      if (!last) return undefined;
      const tools = await measure(last);
      const waited = await waitAtMost(clock, WITHIN_MS, () => context.mcp.list());
      const listed = waited.kind === "done" && isRecord(waited.value) ? waited.value.data : [];
      const servers = Array.isArray(listed) ? listed.filter(isConnected).map(({ name }) => name) : [];
      return { host: 2, tools, servers };
    },
  };
}

async function measure({ choice, system, tools }: Last): Promise<OfferedTool[]> {
  const { countSaved, measureTool, shortenDescription } = await import("../short-definitions.js");
  const isLeftOut = findLeftOut(choice);
  return Object.entries(tools).flatMap(([name, tool]): OfferedTool[] => {
    if (!isDefinition(tool)) return [];
    const { description, input } = tool;
    const short = choice.short ? shortenDescription(name, description) : undefined;
    const saved = short === undefined ? undefined : countSaved(description, short);
    const measured = measureTool({ name, description: short ?? description, parameters: input }, saved);
    const tokens = measured.tokens + (name === CATALOG_TOOL ? countCatalog(system) : 0);
    return [{ ...measured, tokens, called: readToolName(name), ...(isLeftOut(name) && { isLeftOut: true }) }];
  });
}

function findLeftOut({ leaveOut }: ToolChoice): (name: string) => boolean {
  const patterns = leaveOut.map(compileGlob);
  return (name) => patterns.some((fits) => fits(name));
}

function countCatalog(system: unknown): number {
  const texts = Array.isArray(system) ? system.map((part) => (isRecord(part) ? String(part.text) : "")) : [];
  return estimateTextTokens(texts.map((text) => CATALOG.exec(text)?.[0] ?? "").join(""));
}

const isDefinition = object<{ description: string; input?: unknown }>({
  description: string,
  input: unchecked,
});

const isConnected = object<{ name: string; status: unknown }>({
  name: string,
  status: object<{ status: string }>({ status: oneOf(["connected"]) }),
});
