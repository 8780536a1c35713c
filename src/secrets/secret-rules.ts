/**
 * How secrets look, as data: one row for each kind. The forms of the tokens are facts that their issuers publish, most of
 * them collected in the rules of gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml, MIT); the patterns are
 * rewritten for text by people and agents, and bounded, so that none backtracks for long.
 *
 * A library was looked at: secretlint's recommended preset takes eight more packages and 50 ms to load, and knows
 * neither JSON web tokens nor Google's keys nor a password in a sentence.
 */

export interface SecretRule {
  /** What it is, in words; replaces the secret. */
  name: string;
  /** In lower case; a text with none of them is skipped. */
  hints: readonly string[];
  /** With the flags g and d; the group `secret`, or else the whole match, is the secret. */
  pattern: RegExp;
  /** The least a secret has of Shannon's entropy, in bits a character; tells keys from words and from `xxxx`. */
  entropy?: number;
  /** How far behind its beginning a match may look, in characters, where that is farther than `USUAL_REACH`. */
  reach?: number;
  /** The secret must have what a word, a name in code or a path has not. */
  mustLookReal?: boolean;
}

/** Far enough for what has a bound of 2,000 and something before and behind it. */
export const USUAL_REACH = 3_000;

const JWT = "JSON web token";

/** Tokens that say by their beginning what they are: prefix, what follows, and who issues them. */
const PREFIXED: readonly [name: string, hints: string, pattern: string][] = [
  ["AWS key", "akia asia abia acca", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"],
  ["GitHub token", "gh", "gh[oprsu]_[A-Za-z0-9]{36,251}"],
  ["GitHub token", "github_pat_", "github_pat_\\w{22,255}"],
  ["GitLab token", "gl", "gl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|oas|agent|ffct)-[\\w-]{20,64}"],
  ["Slack token", "xox", "xox[a-z]{1,2}-[\\w-]{10,250}"],
  ["Slack token", "xapp-", "xapp-\\d-[A-Z0-9]{5,20}-\\d{5,20}-[a-z0-9]{20,100}"],
  ["Anthropic key", "sk-ant-", "sk-ant-[a-z0-9]{3,12}-[\\w-]{20,200}"],
  ["OpenAI key", "sk-", "sk-(?:proj|svcacct|admin|None)-[\\w-]{20,200}"],
  ["API key", "sk-", "sk-(?:or-v1-)?(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{20,100}"],
  ["Google key", "aiza", "AIza[\\w-]{35}"],
  ["Google secret", "gocspx-", "GOCSPX-[\\w-]{28}"],
  ["Google token", "ya29.", "ya29\\.[\\w-]{20,400}"],
  [
    "Stripe key",
    "sk_ rk_ whsec_",
    "(?:sk|rk|whsec)_(?:test_|live_|prod_)?(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{16,250}",
  ],
  ["SendGrid key", "sg.", "SG\\.[\\w-]{16,32}\\.[\\w-]{32,64}"],
  ["npm token", "npm_", "npm_[A-Za-z0-9]{36}"],
  ["PyPI token", "pypi-", "pypi-AgE[\\w-]{30,500}"],
  ["RubyGems key", "rubygems_", "rubygems_[a-f0-9]{48}"],
  ["Docker token", "dckr_", "dckr_(?:pat|oat)_[\\w-]{20,60}"],
  ["Hugging Face token", "hf_", "hf_[A-Za-z]{34}"],
  ["Groq key", "gsk_", "gsk_[A-Za-z0-9]{40,60}"],
  ["xAI key", "xai-", "xai-[A-Za-z0-9]{60,100}"],
  ["Perplexity key", "pplx-", "pplx-[A-Za-z0-9]{32,64}"],
  ["Replicate token", "r8_", "r8_[A-Za-z0-9]{37}"],
  ["DigitalOcean token", "_v1_", "do[opr]_v1_[a-f0-9]{64}"],
  ["Shopify token", "shp", "shp(?:at|ca|pa|ss|ua)_[a-fA-F0-9]{32}"],
  ["Square token", "sq0", "sq0(?:atp|csp|idp)-[\\w-]{22,60}"],
  ["Databricks token", "dapi", "dapi[a-f0-9]{32}(?:-\\d)?"],
  ["Doppler token", "dp.", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.]{40,60}"],
  ["Vault token", "hv", "hv[sbr]\\.[\\w-]{24,300}"],
  ["Terraform token", ".atlasv1.", "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,70}"],
  ["Grafana token", "gl", "gl(?:c|sa)_[A-Za-z0-9+/_]{32,400}={0,2}"],
  ["Sentry token", "sntry", "sntry[su]_[\\w+/=-]{40,300}"],
  ["New Relic key", "nra", "NRA[KAL]-[A-Z0-9]{27}"],
  ["Linear key", "lin_", "lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"],
  ["Notion token", "ntn_", "ntn_[A-Za-z0-9]{40,60}"],
  ["Figma token", "figd_", "figd_[\\w-]{38,50}"],
  ["Postman key", "pmak-", "PMAK-[a-f0-9]{24}-[a-f0-9]{34}"],
  ["PlanetScale token", "pscale_", "pscale_(?:tkn|oauth|pw)_[\\w=.-]{32,64}"],
  ["Supabase token", "sb", "(?:sbp_[a-f0-9]{40}|sb_secret_[\\w-]{20,60})"],
  ["Atlassian token", "atatt3", "ATATT3[\\w=-]{180,200}"],
  ["Airtable token", "pat", "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}"],
  ["Tailscale key", "tskey-", "tskey-[a-z]{2,10}-[\\w-]{10,80}"],
  ["Fly token", "fo1_", "fo1_[\\w-]{43}"],
  ["Resend key", "re_", "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"],
  ["1Password token", "ops_ey", "ops_ey[\\w+/=-]{100,2000}"],
  ["age key", "age-secret-key-", "AGE-SECRET-KEY-1[A-Z0-9]{58}"],
  ["Telegram token", ":aa", "\\d{8,10}:AA[\\w-]{33}"],
  [JWT, "eyj", "eyJ[\\w-]{10,4000}\\.eyJ[\\w-]{10,8000}\\.[\\w-]{10,1000}"],
];

/** Names under which a secret is kept. */
const NAMES =
  "pass(?:word|wd|phrase|code)|pwd|api[_-]?key|secret|token|(?:access|private|auth|encryption|signing|account)[_-]?key|credentials?";
/** What a value may be made of; quotes, space and what closes a sentence or a bracket end it. */
const VALUE = "[^\\s\"'`,;<>(){}\\[\\]，。；、]";
/** Space within a line: a value that is left empty must not reach into the next line, which is another setting. */
const SPACE = "[^\\S\\r\\n]";
/** The beginning of a line that is itself a setting or a comment. A `=` that ends base64 is neither. */
const SETTING = `["'\`]?[\\w.-]{1,60}["'\`]?${SPACE}{0,3}(?::(?!\\S)|=(?!=?(?:\\s|$)))|[A-Z0-9]{1,40}_\\w{0,40}=|#`;
/** Behind a colon or a word a value may stand on the next line alone. */
const NEXT_LINE = `${SPACE}{0,3}\\r?\\n${SPACE}{0,4}(?!${SETTING})`;

export const secretRules: readonly SecretRule[] = [
  {
    name: "private key",
    hints: ["-----begin"],
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----BEGIN )[\s\S]){0,20000}?(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?=-----BEGIN )|$(?![\s\S]))/dg,
    reach: 21_000,
  },
  {
    name: "PuTTY private key",
    hints: ["putty-user-key-file"],
    pattern: /PuTTY-User-Key-File-\d(?:(?!PuTTY-User-Key-File-)[\s\S]){0,8000}?Private-MAC: \w{40,64}/dg,
    reach: 9_000,
  },
  {
    name: "password in an address",
    hints: ["://"],
    pattern: /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@"'`<>]{0,100}:(?<secret>[^\s/@"'`<>]{3,200})@[\w.[-]/dgi,
  },
  {
    name: "webhook address",
    hints: ["hooks.slack.com/", "/api/webhooks/", "webhook.office.com/"],
    pattern:
      /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/|\w{1,60}\.webhook\.office\.com\/webhookb2\/)(?<secret>[\w/@-]{20,300})/dgi,
  },
  ...PREFIXED.map(([name, hints, pattern]) => ({
    name,
    hints: hints.split(" "),
    pattern: new RegExp(`(?<![\\w-])${pattern}(?![\\w])`, "gd"),
    entropy: 2.5,
    ...(name === JWT && { reach: 14_000 }),
  })),
  {
    name: "key in a connection string",
    hints: ["accountkey=", "sharedaccesskey=", "password=", "pwd="],
    pattern:
      /\b(?:AccountKey|SharedAccessKey|SharedSecretValue|Password|Pwd) ?= ?(?<secret>[^\s;"'`<>{}$]{4,200})(?=;|["'`\s]|$)/dgi,
    mustLookReal: true,
  },
  {
    name: "authorization header",
    hints: ["bearer", "basic", "token"],
    pattern: /\b(?:bearer|basic|token)[^\S\r\n]{1,3}(?<secret>[\w+/=.~-]{16,2000})/dgi,
    entropy: 3.2,
    mustLookReal: true,
  },
  {
    // `DB_PASSWORD=postgres`: written like that it is the value, however plain.
    name: "secret in a variable",
    hints: ["="],
    pattern: new RegExp(
      `\\b[A-Z][A-Z0-9_]{0,40}?(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)(?:_[A-Z0-9]{1,20}){0,2}=["']?(?<secret>${VALUE}{4,500})`,
      "gd",
    ),
  },
  {
    name: "secret in a setting",
    hints: ["pass", "pwd", "key", "secret", "token", "credential"],
    pattern: new RegExp(
      `(?:${NAMES})["'\`]?\\s{0,3}(?:(?::=|=>|={1,3})${SPACE}{0,3}|[:：](?:${SPACE}{0,3}|${NEXT_LINE}))["'\`]?(?<secret>${VALUE}{6,500})`,
      "gid",
    ),
    mustLookReal: true,
  },
  {
    name: "secret on a command line",
    hints: ["--", "-u", "-p", "sshpass"],
    pattern:
      /(?:--(?:password|passwd|pass|token|secret|api-?key|auth-?token)(?:=|[^\S\r\n]{1,3})|\bsshpass {1,3}-p ?|\bcurl\b[^\n]{0,200}?\s-u {1,3}["']?[^\s:"']{1,60}:|\bmysql\b[^\n]{0,200}?\s-p)["']?(?<secret>[^\s"'`<>$(){}]{4,300})/dgi,
    mustLookReal: true,
  },
  {
    name: "password in a sentence",
    hints: ["pass", "pwd", "key", "secret", "token", "credential"],
    pattern: new RegExp(
      `\\b(?:${NAMES})s?\\b(?:\\s{1,3}[\\w./@-]{1,30}){0,6}?\\s{1,3}(?:(?:is|are|was|set to|to be|should be|must be|will be|to|are now)(?:${SPACE}{1,3}|${NEXT_LINE})|=${SPACE}{1,3})(?:now\\s{1,3}|still\\s{1,3})?["'\`]?(?<secret>${VALUE}{6,200})`,
      "gid",
    ),
    mustLookReal: true,
  },
  {
    name: "password in a sentence",
    hints: ["密码", "口令", "密钥", "令牌"],
    pattern: new RegExp(
      `(?:密码|口令|密钥|令牌)[^\\n。；\\w]{0,8}?(?:=${SPACE}{0,3}|(?:是|为|用|改成|[:：])[:：]?(?:${SPACE}{0,3}|${NEXT_LINE}))["'\`“「]?(?<secret>[!#-&(-+\\--:=?-~]{6,200})`,
      "dg",
    ),
    mustLookReal: true,
  },
  {
    // Quoted, or nothing but digits: a plain word or number is meant as the password itself.
    name: "password in a sentence",
    hints: ["pass", "pwd", "密码", "口令"],
    pattern: new RegExp(
      `(?:\\bpass(?:word|wd|phrase|code)|\\bpwd|密码|口令)(?:\\s{1,3}(?:for|of|on|to|at|in)(?:\\s{1,3}[\\w./@-]{1,30}){1,4}?)?\\s{0,3}(?:=${SPACE}{0,3}|(?:\\bis\\b|\\bwas\\b|[:：]|是|为)(?:${SPACE}{0,3}|${NEXT_LINE}))["'\`“「]?(?<secret>(?<=["'\`“「])[^\\s"'\`”」]{4,100}(?=["'\`”」])|\\d{4,20}(?![\\w.%]))`,
      "dgi",
    ),
  },
];
