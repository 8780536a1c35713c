import * as z from "zod";
import { configSchema } from "./schema.js";

/** The text of the published `config.schema.json`: what a person may write, for editors that check while one types. */
export function formatConfigSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: "input" });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
