import { type SecretRule, writeOut } from "./rule.js";

/** Begins or ends at no letter, digit or hyphen. */
const apart = (pattern: string): RegExp => new RegExp(writeOut(`(?<![\\w-])${pattern}(?![\\w])`), "gd");

/** What is known by its shape: keys of many lines, addresses, and tokens with their mark in the middle. */
export const shapeRules: readonly SecretRule[] = [
  {
    // Behind the first line something like a key must follow: code and documents mention that line alone.
    name: "private key",
    hints: ["-----begin"],
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?=(?:[\s"'`,+>|*#]|\\[nr]){0,40}(?:[A-Za-z0-9+/=]{12}|[A-Z][\w-]{2,20}: ))(?:(?!-----BEGIN )[\s\S]){0,20000}?(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?=-----BEGIN )|$(?![\s\S]))/dg,
    reach: 21_000,
  },
  {
    name: "PuTTY private key",
    hints: ["putty-user-key-file"],
    pattern: /PuTTY-User-Key-File-\d(?:(?!PuTTY-User-Key-File-)[\s\S]){0,8000}?Private-MAC: \w{40,64}/dg,
    reach: 9_000,
  },
  {
    name: "JSON web token",
    hints: ["eyj"],
    pattern: apart("eyJ<w10,4000>\\.eyJ<w10,8000>\\.<w10,1000>"),
    look: "token",
    reach: 14_000,
  },
  {
    name: "password in an address",
    hints: ["://"],
    pattern: /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@"'`<>]{0,100}:(?<secret>[^\s/@"'`<>]{3,200})@[\w.[-]/dgi,
  },
  {
    name: "Sidekiq key",
    hints: [".contribsys.com"],
    pattern: /(?<=\/)[a-f0-9]{8}:[a-f0-9]{8}(?=@(?:gems|enterprise)\.contribsys\.com)/dgi,
  },
  {
    name: "webhook address",
    hints: ["hooks.slack.com/", "/api/webhooks/", "webhook.office.com/", "/bot/v2/hook/"],
    pattern:
      /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/|\w{1,60}\.webhook\.office\.com\/webhookb2\/|open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/)(?<secret>[\w/@-]{20,300})/dgi,
  },
  {
    name: "Sentry address",
    hints: [".ingest.", "sentry.io/"],
    pattern:
      /https:\/\/(?<secret>[a-f0-9]{32}(?::[a-f0-9]{32})?)@(?:[a-z0-9-]{1,40}\.){1,4}(?:io|com|net|org|dev)(?::\d{1,5})?\/\d{1,20}/dg,
    look: "token",
  },
  {
    name: "key in an address",
    hints: ["&", "?"],
    pattern:
      /[?&](?:[\w-]{0,30}(?:key|token|secret|password|pwd|pass|auth)|sig|code|x-amz-signature)=(?<secret>[\w%+/=.~:|$-]{16,2000})/dgi,
    look: "random",
  },
  {
    name: "Telegram token",
    hints: [":a"],
    // In an address, `bot` stands right before the number.
    pattern: /(?<![\d-])\d{5,16}:A[\w-]{34}(?!\w)/dg,
    look: "token",
  },
  {
    name: "Terraform token",
    hints: [".atlasv1."],
    pattern: apart("<a14>\\.atlasv1\\.[\\w=-]{60,70}"),
    look: "token",
  },
  {
    name: "Mailchimp key",
    hints: ["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"],
    pattern: apart("<h32>-us<d1,2>"),
    look: "token",
  },
  {
    name: "Azure secret",
    hints: ["q~"],
    pattern: /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{30,33}[\w~]/dg,
    look: "token",
  },
  {
    name: "Azure DevOps token",
    hints: ["azdo"],
    pattern: apart("<a76>AZDO<a4>"),
    look: "token",
  },
  {
    name: "MaxMind key",
    hints: ["_mmk"],
    pattern: apart("<a6>_<a29>_mmk"),
    look: "token",
  },
  {
    name: "Facebook token",
    hints: ["|", "%7c"],
    pattern: apart("<d15,16>(?:\\||%7[Cc])<w27,40>"),
    look: "token",
  },
  {
    name: "key in a connection string",
    hints: ["key", "pass", "pwd", "sharedsecretvalue"],
    pattern:
      /\b(?:AccountKey|SharedAccessKey|SharedSecretValue|Password|Pwd) ?= ?(?<secret>[^\s;"'`<>{}$]{4,200})(?=;|["'`\s]|$)/dgi,
    look: "password",
  },
  {
    name: "Kubernetes secret",
    hints: ["kind: secret", "kind:secret", 'kind: "secret', "kind: 'secret"],
    pattern:
      /\bkind: {0,3}["']?Secret["']?(?![\w-])(?:(?!\n---)[\s\S]){0,400}?\n {0,4}(?:data|stringData):[^\S\n]{0,3}\r?\n(?<secret>(?:[^\S\n]{1,8}[\w.-]{1,80}: {0,3}["']?[^\s{$<][^\n]{3,1500}(?:\n|$)){1,20})/dg,
    reach: 35_000,
  },
  {
    name: "Kubernetes secret",
    hints: ["kind: secret", "kind:secret", 'kind: "secret', "kind: 'secret"],
    pattern:
      /(?<![^\n])(?:data|stringData):[^\S\n]{0,3}\r?\n(?<secret>(?:[^\S\n]{1,8}[\w.-]{1,80}: {0,3}["']?[^\s{$<][^\n]{3,1500}\n){1,20})(?:(?!\n---|\nkind:)[\s\S]){0,400}?\n?kind: {0,3}["']?Secret(?![\w-])/dg,
    reach: 35_000,
  },
];
