/**
 * Keys that do not say what they are: only the provider's name before them does, as in `ALGOLIA_ADMIN_KEY=…` or "our
 * Algolia key is …".
 */

import type { Look } from "./rule.js";
import { GIVES, QUOTE, SPACE, VALUE } from "./settings.js";

/** Provider, the names that its keys go by (in lower case, separated by spaces), and the key as the source of a pattern. */
export type NamedKeyRow = readonly [provider: string, names: string, key: string];

const UUID = "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}";

export const namedKeys: readonly NamedKeyRow[] = [
  ["Adafruit", "adafruit", "[\\w-]{32}"],
  ["Adobe", "adobe", "[a-f0-9]{32}"],
  ["Airtable", "airtable", "[a-z0-9]{17}"],
  ["Algolia", "algolia", "[a-z0-9]{32}"],
  ["Alibaba Cloud", "alibaba aliyun", "[a-z0-9]{30}"],
  ["Asana", "asana", "[a-z0-9]{32}|[0-9]{16}"],
  ["AssemblyAI", "assemblyai assembly_ai", "[a-f0-9]{32}"],
  ["Atlassian", "atlassian jira confluence", "[a-z0-9]{24}"],
  ["Auth0", "auth0", "[\\w-]{64}"],
  ["Azure", "azure cosmos openai speech", "[a-f0-9]{32}|[A-Za-z0-9]{52}|[A-Za-z0-9]{84}|[A-Za-z0-9+/]{86}=="],
  ["Binance", "binance", "[A-Za-z0-9]{64}"],
  ["Bitbucket", "bitbucket", "[\\w=-]{64}|[a-z0-9]{32}|[a-z0-9]{18}"],
  ["Bittrex", "bittrex", "[a-z0-9]{32}"],
  ["Bugsnag", "bugsnag", "[a-f0-9]{32}"],
  ["Cisco Meraki", "meraki", "[a-f0-9]{40}"],
  ["Cloudflare", "cloudflare", "[\\w-]{40}|[a-f0-9]{37}"],
  ["Cloudinary", "cloudinary", "[\\w-]{27}"],
  ["Codecov", "codecov", `[a-z0-9]{32}|${UUID}`],
  ["Cohere", "cohere co_api_key", "[A-Za-z0-9]{40}"],
  ["Coinbase", "coinbase", "[\\w-]{64}"],
  ["Confluent", "confluent", "[A-Za-z0-9+/]{64}|[A-Za-z0-9]{16}"],
  ["Contentful", "contentful", "[\\w=-]{43}"],
  ["Datadog", "datadog dd_", "[a-z0-9]{40}|[a-f0-9]{32}"],
  ["Deepgram", "deepgram", "[a-f0-9]{40}"],
  ["Discord", "discord", "[a-f0-9]{64}|[\\w=-]{32}|[0-9]{17,19}"],
  ["Drone", "drone", "[a-z0-9]{32}"],
  ["Dropbox", "dropbox", "[a-z0-9]{11}AAAAAAAAAA[\\w=-]{43}|[a-z0-9]{15}"],
  ["Etsy", "etsy", "[a-z0-9]{24}"],
  ["Exa", "exa_", UUID],
  ["Facebook", "facebook", "[a-f0-9]{32}"],
  ["Fastly", "fastly", "[\\w=-]{32}"],
  ["Finicity", "finicity", "[a-f0-9]{32}|[a-z0-9]{20}"],
  ["Finnhub", "finnhub", "[a-z0-9]{20}"],
  ["Flickr", "flickr", "[a-z0-9]{32}"],
  ["FreshBooks", "freshbooks", "[a-z0-9]{64}"],
  ["Gitea", "gitea forgejo", "[a-f0-9]{40}"],
  ["Gitter", "gitter", "[\\w-]{40}"],
  ["Heroku", "heroku", UUID],
  ["Hetzner", "hetzner hcloud", "[A-Za-z0-9]{64}"],
  ["HubSpot", "hubspot", UUID],
  ["Intercom", "intercom", "[\\w=-]{60}"],
  ["JFrog", "jfrog artifactory bintray xray", "[a-z0-9]{73}|[a-z0-9]{64}"],
  ["Kraken", "kraken", "[\\w/+=-]{80,90}"],
  ["KuCoin", "kucoin", `${UUID}|[a-f0-9]{24}`],
  ["LaunchDarkly", "launchdarkly", "[\\w=-]{40}"],
  ["Linear", "linear", "[a-f0-9]{32}"],
  ["LinkedIn", "linkedin linked_in linked-in", "[A-Za-z0-9]{16}|[A-Za-z0-9]{14}"],
  ["Linode", "linode", "[a-f0-9]{64}"],
  ["Mailgun", "mailgun", "[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}"],
  ["Mailjet", "mailjet", "[a-f0-9]{32}"],
  ["Mattermost", "mattermost", "[a-z0-9]{26}"],
  ["MessageBird", "messagebird message-bird message_bird", `[A-Za-z0-9]{25}|${UUID}`],
  ["Mistral", "mistral", "[A-Za-z0-9]{32}"],
  ["Netlify", "netlify", "[\\w=-]{40,46}"],
  ["New Relic", "newrelic new_relic new-relic", "[a-z0-9]{64}|[a-f0-9]{40}"],
  ["New York Times", "nytimes newyorktimes new-york-times", "[\\w=-]{32}"],
  ["Okta", "okta", "00[\\w=-]{40}"],
  ["OpenWeather", "openweather openweathermap owm", "[a-f0-9]{32}"],
  ["PagerDuty", "pagerduty", "[\\w+-]{20}"],
  ["Plaid", "plaid", "[a-z0-9]{30}|[a-z0-9]{24}"],
  ["Postmark", "postmark", UUID],
  ["Private AI", "privateai private_ai private-ai", "[a-z0-9]{32}"],
  ["RapidAPI", "rapidapi x-rapidapi-", "[\\w-]{50}"],
  ["Rollbar", "rollbar", "[a-f0-9]{32}"],
  ["Sendbird", "sendbird", `[a-f0-9]{40}|${UUID}`],
  ["Sentry", "sentry", "[a-f0-9]{64}"],
  ["Sidekiq", "bundle_enterprise__contribsys__com bundle_gems__contribsys__com", "[a-f0-9]{8}:[a-f0-9]{8}"],
  ["Snyk", "snyk", UUID],
  ["SonarQube", "sonar", "[\\w=-]{40}"],
  ["Sourcegraph", "sourcegraph", "[a-f0-9]{40}"],
  ["Splunk", "splunk", UUID],
  ["Squarespace", "squarespace", UUID],
  ["Sumo Logic", "sumo", "[A-Za-z0-9]{64}|su[A-Za-z0-9]{12}"],
  ["Tencent Cloud", "tencent", "[A-Za-z0-9]{32}"],
  ["Todoist", "todoist", "[a-f0-9]{40}"],
  ["Together", "together", "[a-f0-9]{64}"],
  ["Travis CI", "travis", "[\\w-]{22}"],
  ["Trello", "trello", "[a-f0-9]{64}|[a-f0-9]{32}"],
  ["Twilio", "twilio", "[a-f0-9]{32}"],
  ["Twitch", "twitch", "[a-z0-9]{30}"],
  ["Twitter", "twitter", "[A-Za-z0-9]{50}|[A-Za-z0-9]{45}|[A-Za-z0-9]{25}|[0-9]{15,25}-[A-Za-z0-9]{20,40}"],
  ["Vercel", "vercel", "[A-Za-z0-9]{24}"],
  ["Weights & Biases", "wandb", "[a-f0-9]{40}"],
  ["Zendesk", "zendesk", "[a-z0-9]{40}"],
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
    ([provider, names, key]): NamedKey => ({
      name: `${provider} key`,
      names,
      rest: writePattern(`(?:${key})`),
      look: "token",
    }),
  ),
  keyInSetting,
];
