import * as z from "zod";
import { byAnyone, byUser, byUserOrLower, enabled, textLike, whole } from "../../src/config/owners.js";
import { memoryTypes } from "../../src/memory/memory.js";
import { defaults } from "./defaults.js";

const { autoMemory: usual, boot: usualBoot } = defaults;
const { embeddings: usualEmbeddings, entities: usualEntities } = defaults.recall;

const flag = (usual: boolean, what: string) => z.boolean().default(usual).describe(what);
/** Part of a session's beginning that no project may hide. */
const shows = (usual: boolean, what: string) => byUser(flag(usual, what));

const JUDGE =
  "Who judges what of your words is kept: model is your small model, in the background; agent is the running agent, asked at the end of its context; auto is the model where one is named, else the agent; off keeps only what you mark (remember: …, from now on …) or repeat.";
const KEPT_OUT = "Types of project memories that git ignores until strata memory publish; [] for none.";
const PAST =
  "Your small model also reads sessions of the project from before Strata was installed: in the background, at most 50 every 6 hours, within the daily budget of background calls.";

const autoMemory = z.strictObject({
  enabled: enabled("Layer 5: decisions, preferences and lessons are remembered."),
  judge: byUser(z.enum(["auto", "model", "agent", "off"]).default(usual.judge).describe(JUDGE)),
  keepOutOfGit: byUserOrLower(
    z.array(z.enum(memoryTypes)).readonly().default(usual.keepOutOfGit).describe(KEPT_OUT),
  ),
  maxLines: byAnyone(whole(10, 2_000, usual.maxLines, "Maximum number of lines of the index MEMORY.md.")),
  maxSize: byAnyone(whole(1_000, 250_000, usual.maxSize, "Maximum size of the index MEMORY.md, in bytes.")),
  pastSessions: byUser(flag(usual.pastSessions, PAST)),
});

const ACTIVE =
  "The beginning names other active sessions of the project, in any instance, and their last requests.";
const DECISIONS =
  "The beginning lists the decisions of the last 30 days, newest first, before other memories.";
const MOST_ITEMS =
  "Maximum number of other memories at the beginning. The whole beginning stays below 2,000 tokens.";

const boot = z.strictObject({
  enabled: shows(
    usualBoot.enabled,
    "A session begins with rules, blockers and the most important other memories.",
  ),
  activeSessions: byUserOrLower(flag(usualBoot.activeSessions, ACTIVE)),
  blockers: shows(usualBoot.blockers, "The beginning lists open blockers."),
  directives: shows(usualBoot.directives, "The beginning lists your rules."),
  recentDecisions: byUserOrLower(flag(usualBoot.recentDecisions, DECISIONS)),
  maxItems: byUserOrLower(whole(0, 200, usualBoot.maxItems, MOST_ITEMS)),
});

const ENDPOINT =
  "An OpenAI-compatible /embeddings endpoint, or Ollama. With it and a model, memory_recall and /recall also find memories by their meaning.";
const KEY =
  "Name of the environment variable with the key. The key is sent over https or to this machine only.";
const TIMEOUT = "Milliseconds for a batch of memories. A query waits for at most 1,000.";
const PRIVATE =
  "Whether private memories may be sent to an endpoint on another machine. To this machine they are.";

const embeddings = z.strictObject({
  url: byUser(
    textLike(/^https?:\/\/[^\s/@?#]+(\/[^\s?#]*)?$/, "http://localhost:11434", "https://api.openai.com/v1")
      .optional()
      .describe(ENDPOINT),
  ),
  model: byUser(
    z.string().min(1).max(200).optional().describe("Name of the embedding model at this endpoint."),
  ),
  apiKeyEnv: byUser(
    textLike(/^[A-Za-z_]\w*$/, "OPENAI_API_KEY")
      .optional()
      .describe(KEY),
  ),
  timeoutMs: byUserOrLower(whole(100, 120_000, usualEmbeddings.timeoutMs, TIMEOUT)),
  dimensions: byUser(
    z
      .number()
      .int()
      .min(8)
      .max(8_192)
      .optional()
      .describe("Length of the vectors, if the model offers several."),
  ),
  allowPrivate: byUserOrLower(flag(usualEmbeddings.allowPrivate, PRIVATE)),
});

const BACKGROUND =
  "Whether Strata looks up this project's issues and merge requests in messages at GitLab or GitHub. Otherwise only strata enrich asks.";
const HOSTS =
  "GitLab and GitHub instances that may be asked besides gitlab.com and github.com: kind, url, and the name of the environment variable with the token.";

const host = z.strictObject({
  kind: z.enum(["gitlab", "github"]),
  url: textLike(
    /^(https:\/\/[^\s/@?#]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)(\/[^\s?#]*)?$/,
    "https://git.acme.com",
    "https://acme.com/gitlab",
  ),
  tokenEnv: textLike(/^[A-Za-z_]\w*$/, "ACME_GITLAB_TOKEN").optional(),
});
const entities = z.strictObject({
  background: byUserOrLower(flag(usualEntities.background, BACKGROUND)),
  hosts: byUser(z.array(host).readonly().default(usualEntities.hosts).describe(HOSTS)),
});

const recall = z.strictObject({
  enabled: enabled("Memories that match a message are shown with it."),
  embeddings: embeddings.prefault({}),
  entities: entities.prefault({}),
});

const findings = z.strictObject({
  enabled: enabled(
    "Sentences of fetched pages, searches and documents that answer the request are kept as private memories.",
  ),
});

export const schemas = { autoMemory, boot, findings, recall };

declare module "../../src/config/schema.js" {
  interface Config {
    autoMemory: z.output<typeof autoMemory>;
    findings: z.output<typeof findings>;
    boot: z.output<typeof boot>;
    recall: z.output<typeof recall>;
  }
  interface StrataOptions {
    autoMemory?: z.input<typeof autoMemory>;
    findings?: z.input<typeof findings>;
    boot?: z.input<typeof boot>;
    recall?: z.input<typeof recall>;
  }
}
