import { listFields, type Owner } from "../src/config/owners.js";
import { type ConfigSchema, formatConfigSchema } from "../src/config/schema.js";

/** The fields of a JSON schema that the page uses. */
interface Described {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Described[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
  properties?: Record<string, Described>;
  additionalProperties?: Described | boolean;
  items?: Described;
}

/** What most people set, if anything. */
const USUAL = new Set([
  "enabled",
  "background.enabled",
  "background.model",
  "background.dailyCalls",
  "background.dailyTokens",
  "toolResults.threshold",
  "toolResults.perTool",
  "autoCompact.threshold",
  "autoMemory.judge",
  "errors.onRepeat",
  "crossAgent.onConflict",
  "recall.embeddings.url",
  "recall.embeddings.model",
  "recall.embeddings.apiKeyEnv",
  "trust.projects",
  "trust.remotes",
  "log.level",
]);

/** What was measured, bounds something, or is for an unusual place; all others are shown by layer. */
const EXPERT = new Set([
  "toolResults.turnBudget",
  "toolResults.maxTotalMegabytes",
  "microCompact.idleMinutes",
  "microCompact.cacheMinutes",
  "microCompact.keepRecent",
  "microCompact.horizon",
  "microCompact.floor",
  "sessionMemory.updateThreshold",
  "sessionMemory.toolCallThreshold",
  "sessionMemory.goalDistance",
  "autoCompact.coldThreshold",
  "autoCompact.retryLimit",
  "autoCompact.summaryTimeout",
  "errors.maxErrorHistory",
  "autoMemory.maxLines",
  "autoMemory.maxSize",
  "recall.embeddings.timeoutMs",
  "recall.embeddings.dimensions",
  "dream.maxRuntime",
  "sync.worktrees",
  "linkedFolders",
  "committedFolders",
]);

const SET_BY: Record<Owner, string> = {
  anyone: "any file",
  user: "you",
  "user or lower": "you; a project may lower it",
  "user or higher": "you; a project may raise it",
};

const BEFORE = `# Settings

<!-- Made by npm run schema from src/config/schema.ts and each layer's settings.ts; edit those, or scripts/settings-page.ts. -->

Every setting has a default, so you need none of them. To change one, turn the plugin's entry in \`opencode.json\` into a
list of the entry and its options:

\`\`\`json
{ "plugin": [["/path/to/opencode-strata", { "toolResults": { "threshold": 20000, "perTool": { "read": 50000, "github_*": false } } }]] }
\`\`\`

They may also be under a \`memory\` key of the same file: OpenCode 1.18.33 starts with it, some other releases do not.
[\`config.schema.json\`](../config.schema.json) is their JSON schema.

- **Which value counts.** For each setting the list wins over the \`memory\` key, and a project's file over the global
  one. \`strata doctor --no-proof\` shows every value and the file it comes from.
- **Who may set it.** A repository brings configuration files too. So a setting whose last column says "you" counts only
  in \`~/.config/opencode/opencode.json\`, or in files that OpenCode's environment variables name. A project's files may
  change some in the direction that costs or shows less. A \`small_model\` or provider that they set is never used for
  background calls.
- **A value that is wrong or not allowed there** is ignored; the log, the screen and \`strata doctor\` name it.
`;

/** Formats the whole page. */
export function formatSettingsPage(configSchema: ConfigSchema): string {
  const schema: Described = JSON.parse(formatConfigSchema(configSchema));
  const owners = new Map(listFields(configSchema).map(({ path, owner }) => [path.join("."), owner]));
  const listRows = (prefix: string, fields: Record<string, Described>): Row[] =>
    Object.entries(fields).flatMap(([name, field]) =>
      field.properties
        ? listRows(`${prefix}${name}.`, field.properties)
        : [{ name: `${prefix}${name}`, text: formatRow(`${prefix}${name}`, field, owners) }],
    );
  const all = listRows("", schema.properties ?? {});
  const ofLayers = all.filter(({ name }) => !USUAL.has(name) && !EXPERT.has(name));
  return [
    BEFORE,
    formatSection(
      "## What most people set",
      all.filter(({ name }) => USUAL.has(name)),
    ),
    formatSection("## For each layer", ofLayers),
    formatSection(
      "## For experts",
      all.filter(({ name }) => EXPERT.has(name)),
    ),
  ].join("\n");
}

interface Row {
  name: string;
  text: string;
}

function formatSection(title: string, rows: readonly Row[]): string {
  return [
    title,
    "",
    "| setting | default | allowed | what it does | set by |",
    "|---|---|---|---|---|",
    ...rows.map(({ text }) => text),
    "",
  ].join("\n");
}

function formatRow(name: string, field: Described, owners: ReadonlyMap<string, Owner | undefined>): string {
  const value = field.default === undefined ? "" : `\`${JSON.stringify(field.default)}\``;
  const what = dropRule(field.description ?? "").replace(/[*<]/g, "\\$&");
  const cells = [`\`${name}\``, value, formatAllowed(field), what, SET_BY[owners.get(name) ?? "user"]];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Removes the sentence on ownership, which the last column repeats. */
const dropRule = (description: string): string =>
  description.replace(/ Counts only in your own configuration[^.]*\.$/, "");

function formatAllowed(field: Described): string {
  const { additionalProperties: each } = field;
  if (field.anyOf) return field.anyOf.map(formatAllowed).join(" or ");
  if (field.const !== undefined) return code(field.const);
  if (field.enum) return field.enum.map(code).join(", ");
  if (field.type === "boolean") return "`true`, `false`";
  if (field.minimum !== undefined && field.maximum !== undefined)
    return `${inDigits(field.minimum)} to ${inDigits(field.maximum)}`;
  if (field.items?.properties)
    return `a list of objects with ${Object.keys(field.items.properties).join(", ")}`;
  if (field.items) return "a list of texts";
  if (typeof each === "object") return `by name: ${formatAllowed(each)}`;
  return "text";
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

const inDigits = (count: number): string => count.toLocaleString("en-US");
