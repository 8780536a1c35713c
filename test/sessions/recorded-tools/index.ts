/**
 * A plugin for the host of a replay, OpenCode 1 or 2: its own tools, by their names and definitions, answer what was
 * recorded. Loaded before all others, it also shifts `Date` by the offset in a file, so that a pause needs no waiting.
 *
 *     STRATA_RECORDED_TOOLS     JSON file with the definitions of the tools
 *     STRATA_RECORDED_ANSWERS   address that knows what a call answered
 *     STRATA_RECORDED_CLOCK     file with milliseconds; absent: `Date` stays as it is
 */
import { readFileSync } from "node:fs";
import { tool } from "@opencode-ai/plugin";
import type { ChatTool } from "../../host/stage/model-request.js";
import { shiftDate } from "../../host/stage/shift-date.js";
import type { RecordedAnswer } from "../recorded-answers.js";

const { schema } = tool;
const { STRATA_RECORDED_TOOLS, STRATA_RECORDED_ANSWERS, STRATA_RECORDED_CLOCK } = process.env;

interface Property {
  type?: string;
  description?: string;
  enum?: [string, ...string[]];
}

interface Parameters {
  properties?: Record<string, Property>;
  required?: string[];
}

function toField({ type, description, enum: values }: Property, isRequired: boolean) {
  const field = planField(type, values);
  const described = description === undefined ? field : field.describe(description);
  return isRequired ? described : described.optional();
}

function planField(type: string | undefined, values: [string, ...string[]] | undefined) {
  if (values) return schema.enum(values);
  if (type === "number" || type === "integer") return schema.number();
  if (type === "boolean") return schema.boolean();
  if (type === "array") return schema.array(schema.any());
  return type === "string" ? schema.string() : schema.any();
}

function toTool({ function: { name, description = "", parameters } }: ChatTool) {
  const { properties = {}, required = [] } = (parameters ?? {}) as Parameters;
  const fields = Object.entries(properties).map(([key, one]) => [key, toField(one, required.includes(key))]);
  return tool({
    description,
    args: Object.fromEntries(fields),
    async execute(args: Record<string, unknown>, context) {
      const { callID = "" } = context as { callID?: string };
      const { result, exit } = await answer(callID);
      const title = String(args.filePath ?? args.command ?? args.pattern ?? name).slice(0, 80);
      return { title, output: result, metadata: exit === undefined ? {} : { exit, output: "" } };
    },
  });
}

/** OpenCode 2 takes the arguments' schema as it is; only kinds are kept of it, as above. */
function toTool2({ function: { name, description = "", parameters } }: ChatTool) {
  const { properties = {}, required = [] } = (parameters ?? {}) as Parameters;
  const fields = Object.entries(properties).map(([key, { type, description: about, enum: values }]) => [
    key,
    { type, description: about, enum: values },
  ]);
  return {
    name,
    description,
    input: { type: "object", properties: Object.fromEntries(fields), required },
    options: { codemode: false },
    async execute(_: unknown, { id }: { id: string }) {
      const { result, exit } = await answer(id);
      return { content: result, ...(exit !== undefined && { metadata: { exit } }) };
    },
  };
}

async function answer(callID: string): Promise<RecordedAnswer> {
  const response = await fetch(`${STRATA_RECORDED_ANSWERS}${encodeURIComponent(callID)}`);
  const recorded = (await response.json()) as RecordedAnswer;
  if (recorded.isError) throw new Error(recorded.result);
  return recorded;
}

let isShifted = false;

function begin(): ChatTool[] {
  // OpenCode 1 calls `setup` as well, and again for each project: shifted twice, time would pass twice as fast.
  if (!isShifted && STRATA_RECORDED_CLOCK) shiftDate(STRATA_RECORDED_CLOCK);
  isShifted = true;
  return JSON.parse(readFileSync(STRATA_RECORDED_TOOLS ?? "", "utf8"));
}

/** In OpenCode 1. */
async function server() {
  return { tool: Object.fromEntries(begin().map((one) => [one.function.name, toTool(one)])) };
}

interface Context2 {
  tool: { transform(change: (editor: { add(tool: object): void }) => void): Promise<void> };
}

async function setup({ tool: tools }: Context2) {
  const definitions = begin();
  await tools.transform((editor) => {
    for (const one of definitions) editor.add(toTool2(one));
  });
}

export default { id: "recorded-tools", server, setup };
