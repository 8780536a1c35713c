import type { TokenRow } from "../rule.js";

const UUID = "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}";

/** Models, what they are run on and looked at with, and searches for them. */
export const modelTokens: readonly TokenRow[] = [
  ["Anthropic key", "sk-ant-", "[a-z0-9]{3,12}-[\\w-]{20,200}"],
  ["OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", "[\\w-]{20,200}"],
  ["Langfuse key", "sk-lf-", UUID],
  ["Helicone key", "sk-helicone- pk-helicone-", "[\\w-]{20,80}"],
  ["API key", "sk-", "(?:or-v1-)?(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{20,100}"],
  ["Hugging Face token", "hf_ api_org_", "[A-Za-z]{34}"],
  ["Groq key", "gsk_", "[A-Za-z0-9]{40,60}"],
  ["xAI key", "xai-", "[A-Za-z0-9]{60,100}"],
  ["Perplexity key", "pplx-", "[A-Za-z0-9]{32,64}"],
  ["Replicate token", "r8_", "[A-Za-z0-9]{37}"],
  ["Together key", "tgp_v1_", "[\\w-]{43}"],
  ["Fireworks key", "fw_", "[A-Za-z0-9]{22,24}", "random"],
  ["Cerebras key", "csk-", "[a-z0-9]{48}"],
  ["NVIDIA key", "nvapi-", "[\\w-]{60,70}"],
  ["LangSmith key", "lsv2_pt_ lsv2_sk_", "[a-f0-9]{32}_[a-f0-9]{10}"],
  ["LangSmith key", "ls__", "[a-f0-9]{32}"],
  ["Pinecone key", "pcsk_", "[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,66}"],
  ["Weights & Biases key", "wandb_v1_", "[\\w-]{40,120}"],
  ["Tavily key", "tvly-", "(?:dev-|prod-)?[A-Za-z0-9-]{28,60}", "random"],
  ["Firecrawl key", "fc-", "[a-f0-9]{32}"],
  ["Jina key", "jina_", "[A-Za-z0-9_-]{50,70}"],
  ["Voyage key", "pa-", "[\\w-]{43}", "random"],
  ["LlamaCloud key", "llx-", "[A-Za-z0-9]{44,56}"],
  ["E2B key", "e2b_", "[a-f0-9]{40}"],
  ["Modal token", "ak- as-", "[A-Za-z0-9]{22}", "random"],
  ["RunPod key", "rpa_", "[A-Z0-9]{40,60}"],
  ["Cursor key", "crsr_ key_", "[a-f0-9]{64}"],
  ["Context7 key", "ctx7sk-", UUID],
  ["Browserbase key", "bb_live_ bb_test_", "[\\w-]{24,40}"],
  ["Brave Search key", "BSA", "[\\w-]{27,28}", "random"],
];
