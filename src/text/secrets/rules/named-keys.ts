/**
 * Keys that do not say what they are: only the provider's name before them does, as in `ALGOLIA_ADMIN_KEY=…` or "our
 * Algolia key is …".
 */
import type { Look } from "./rule.js";
import { GIVES, QUOTE, SPACE, VALUE } from "./settings.js";

/**
 * Provider, its key as the source of a pattern in short, and the names that the key goes by where the provider's is not
 * the only one: in lower case, separated by spaces.
 */
export type NamedKeyRow = readonly [provider: string, key: string, names?: string];

export const namedKeys: readonly NamedKeyRow[] = [
  ["Adafruit", "<w32>"],
  ["Adobe", "<h32>"],
  ["Airtable", "<l17>"],
  ["Algolia", "<l32>"],
  ["Alibaba Cloud", "<l30>", "alibaba aliyun"],
  ["Asana", "<l32>|<d16>"],
  ["AssemblyAI", "<h32>", "assemblyai assembly_ai"],
  ["Atlassian", "<l24>", "atlassian jira confluence"],
  ["Auth0", "<w64>"],
  ["Azure", "<h32>|<a52>|<a84>|[A-Za-z0-9+/]{86}==", "azure cosmos openai speech"],
  ["Binance", "<a64>"],
  ["Bitbucket", "[\\w=-]{64}|<l32>|<l18>"],
  ["Bittrex", "<l32>"],
  ["Bugsnag", "<h32>"],
  ["Cisco Meraki", "<h40>", "meraki"],
  ["Cloudflare", "<w40>|<h37>"],
  ["Cloudinary", "<w27>"],
  ["Codecov", "<l32>|<uuid>"],
  ["Cohere", "<a40>", "cohere co_api_key"],
  ["Coinbase", "<w64>"],
  ["Confluent", "[A-Za-z0-9+/]{64}|<a16>"],
  ["Contentful", "[\\w=-]{43}"],
  ["Datadog", "<l40>|<h32>", "datadog dd_"],
  ["Deepgram", "<h40>"],
  ["Discord", "<h64>|[\\w=-]{32}|<d17,19>"],
  ["Drone", "<l32>"],
  ["Dropbox", "<l11>AAAAAAAAAA[\\w=-]{43}|<l15>"],
  ["Etsy", "<l24>"],
  ["Exa", "<uuid>", "exa_"],
  ["Facebook", "<h32>"],
  ["Fastly", "[\\w=-]{32}"],
  ["Finicity", "<h32>|<l20>"],
  ["Finnhub", "<l20>"],
  ["Flickr", "<l32>"],
  ["FreshBooks", "<l64>"],
  ["Gitea", "<h40>", "gitea forgejo"],
  ["Gitter", "<w40>"],
  ["Heroku", "<uuid>"],
  ["Hetzner", "<a64>", "hetzner hcloud"],
  ["HubSpot", "<uuid>"],
  ["Intercom", "[\\w=-]{60}"],
  ["JFrog", "<l73>|<l64>", "jfrog artifactory bintray xray"],
  ["Kraken", "[\\w/+=-]{80,90}"],
  ["KuCoin", "<uuid>|<h24>"],
  ["LaunchDarkly", "[\\w=-]{40}"],
  ["Linear", "<h32>"],
  ["LinkedIn", "<a16>|<a14>", "linkedin linked_in linked-in"],
  ["Linode", "<h64>"],
  ["Mailgun", "[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}"],
  ["Mailjet", "<h32>"],
  ["Mattermost", "<l26>"],
  ["MessageBird", "<a25>|<uuid>", "messagebird message-bird message_bird"],
  ["Mistral", "<a32>"],
  ["Netlify", "[\\w=-]{40,46}"],
  ["New Relic", "<l64>|<h40>", "newrelic new_relic new-relic"],
  ["New York Times", "[\\w=-]{32}", "nytimes newyorktimes new-york-times"],
  ["Okta", "00[\\w=-]{40}"],
  ["OpenWeather", "<h32>", "openweather openweathermap owm"],
  ["PagerDuty", "[\\w+-]{20}"],
  ["Plaid", "<l30>|<l24>"],
  ["Postmark", "<uuid>"],
  ["Private AI", "<l32>", "privateai private_ai private-ai"],
  ["RapidAPI", "<w50>", "rapidapi x-rapidapi-"],
  ["Rollbar", "<h32>"],
  ["Sendbird", "<h40>|<uuid>"],
  ["Sentry", "<h64>"],
  ["Sidekiq", "<h8>:<h8>", "bundle_enterprise__contribsys__com bundle_gems__contribsys__com"],
  ["Snyk", "<uuid>"],
  ["SonarQube", "[\\w=-]{40}", "sonar"],
  ["Sourcegraph", "<h40>"],
  ["Splunk", "<uuid>"],
  ["Squarespace", "<uuid>"],
  ["Sumo Logic", "<a64>|su<a12>", "sumo"],
  ["Tencent Cloud", "<a32>", "tencent"],
  ["Todoist", "<h40>"],
  ["Together", "<h64>"],
  ["Travis CI", "<w22>", "travis"],
  ["Trello", "<h64>|<h32>"],
  ["Twilio", "<h32>"],
  ["Twitch", "<l30>"],
  ["Twitter", "<a50>|<a45>|<a25>|<d15,25>-<a20,40>"],
  ["Vercel", "<a24>"],
  ["Weights & Biases", "<h40>", "wandb"],
  ["Zendesk", "<l40>"],
];

/** What a key is called. */
const NOUN = /key|token|secret|pass|pwd|auth|\bpat\b|_pat$|cred|client.?id|access.?id|login|contribsys/i;

/** From the provider's name to its key: the rest of the name, then `=`, `:`, "is", or what else gives it a value. */
function writePattern(key: string): string {
  const rest = `(?<noun>[\\w.-]{0,60}(?![\\w-])(?:${SPACE}{1,2}(?!is\\b)[\\w./-]{1,30}){0,6}?)`;
  const gives = `(?:${QUOTE}?\\]?${SPACE}{0,3}(?:${GIVES}|,(?=${SPACE}{0,2}${QUOTE})|(?<= )(?=["']))\\*{0,2}${SPACE}{0,3}|${SPACE}{1,2}(?:is|to|was|=)${SPACE}{1,2}|>)`;
  return `${rest}${gives}(?:Bearer |Basic |Token )?${QUOTE}?(?<secret>${key})(?![\\w=+/-])`;
}

export interface NamedKey {
  name: string;
  /** In lower case, separated by spaces. */
  names: string;
  /** Source of the pattern of what follows a name; its group `noun` must say that a key follows. */
  rest: string;
  look: Look;
}

export const isNoun = (words: string): boolean => NOUN.test(words);

const keyInSetting: NamedKey = {
  name: "key in a setting",
  // `MASTER_KEY`, `licenseKey`; many other keys are no secrets.
  names:
    "admin app application master consumer server subscription license licence function functions deploy shared client webhook hmac jwt session cookie root ingest insert crypto cipher security storage project org team bot user io rest write read role integration management personal live prod production test sandbox dev staging host",
  rest: `(?<noun>[_-]?key)(?:${QUOTE}\\]?)?${SPACE}{0,3}(?:${GIVES}|\\bis\\b)\\*{0,2}${SPACE}{0,3}${QUOTE}?(?<secret>${VALUE}{16,500})`,
  look: "random",
};

export const listNamedKeys = (): NamedKey[] => [
  ...namedKeys.map(
    ([provider, key, names = provider.toLowerCase()]): NamedKey => ({
      name: `${provider} key`,
      names,
      rest: writePattern(`(?:${key})`),
      look: "named",
    }),
  ),
  keyInSetting,
];
