import * as z from "zod";
import type { ConfigSchema } from "./schema.js";

/** Text of the published `config.schema.json`, with which editors check and complete settings. */
export function formatConfigSchema(schema: ConfigSchema): string {
  return `${JSON.stringify(z.toJSONSchema(schema, { io: "input" }), null, 2)}\n`;
}
