/**
 * A plugin for the host of a replay: its own tools, by their names and definitions, answer what was recorded. Loaded
 * before all others, it also shifts `Date` by the offset in a file, so that a pause needs no waiting.
 *
 *     STRATA_RECORDED_TOOLS     JSON file with the definitions of the tools
 *     STRATA_RECORDED_ANSWERS   address that knows what a call answered
 *     STRATA_RECORDED_CLOCK     file with milliseconds; absent: `Date` stays as it is
 */
import { readFileSync } from "node:fs";
import { tool } from "@opencode-ai/plugin";
import type { ChatTool } from "../host/stage/model-request.js";
import { shiftDate } from "../host/stage/shift-date.js";
import type { RecordedAnswer } from "./recorded-answers.js";

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
      const response = await fetch(`${STRATA_RECORDED_ANSWERS}${encodeURIComponent(callID)}`);
      const { result, isError, exit } = (await response.json()) as RecordedAnswer;
      if (isError) throw new Error(result);
      const title = String(args.filePath ?? args.command ?? args.pattern ?? name).slice(0, 80);
      return { title, output: result, metadata: exit === undefined ? {} : { exit, output: "" } };
    },
  });
}

async function server() {
  if (STRATA_RECORDED_CLOCK) shiftDate(STRATA_RECORDED_CLOCK);
  const definitions = JSON.parse(readFileSync(STRATA_RECORDED_TOOLS ?? "", "utf8")) as ChatTool[];
  return { tool: Object.fromEntries(definitions.map((one) => [one.function.name, toTool(one)])) };
}

export default { id: "recorded-tools", server };
