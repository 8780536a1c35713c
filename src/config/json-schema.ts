import * as z from "zod";
import type { ConfigSchema } from "./schema.js";

/** The text of the published `config.schema.json`: what a person may write, for editors that check while one types. */
export function formatConfigSchema(schema: ConfigSchema): string {
  return `${JSON.stringify(z.toJSONSchema(schema, { io: "input" }), null, 2)}\n`;
}
