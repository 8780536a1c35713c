import type { McpTool } from "../tool.js";
import { bulkTools } from "./bulk-tools.js";
import { searchTools } from "./search-tools.js";
import { sessionTools } from "./session-tools.js";
import { upkeepTools } from "./upkeep-tools.js";
import { writeTools } from "./write-tools.js";

/** All tools of the server. Clients add the server's name to a tool's, for example `memory_recall`. */
export const tools: readonly McpTool[] = [
  ...searchTools,
  ...writeTools,
  ...sessionTools,
  ...bulkTools,
  ...upkeepTools,
];
