/**
 * How secrets look. The patterns are our own, for text by people and agents, and bounded, so that none backtracks for long.
 *
 * A library was measured: of generated keys of 284 formats in their usual surroundings, secretlint 13 with its recommended
 * preset (MIT, 220 KB, 24 providers, no native parts) finds 12 % at 0.4 ms each, and no password in a sentence.
 */
import type { Form } from "./plausible.js";
import data from "./tokens.json" with { type: "json" };

export interface SecretRule {
  /** What it is, in words; replaces the secret. */
  name: string;
  /** In lower case; a text with none of them is not searched. */
  hints: readonly string[];
  /** With the flags g and d; the group `secret`, or else the whole match, is the secret. Compiled with the first use. */
  pattern: () => RegExp;
  /** What the secret must look like; without it, anything but a placeholder. */
  form: Form | undefined;
  /** Of a single word or so: another may begin within what only looks like one. */
  isWord?: true;
  /** A key behind a name, which may begin within a variable's name; the group `noun` says whether a key follows. */
  isNamed?: true;
}

const CLASSES: Readonly<Record<string, string>> = {
  a: "[A-Za-z0-9]",
  d: "\\d",
  h: "[a-f0-9]",
  l: "[a-z0-9]",
  u: "[A-Z0-9]",
  w: "[\\w-]",
};
const UUID = "[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}";

const writeOut = (short: string): string =>
  short
    .replaceAll("<uuid>", UUID)
    .replace(/<([adhluw])([\d,]+)>/g, (_, kind: string, count: string) => `${CLASSES[kind]}{${count}}`);

/** `hints`: separated by `|`; a source of a pattern is compiled with the flag i unless `flags` says otherwise. */
function rule(name: string, hints: string, pattern: RegExp | string, form?: Form, flags = "dgi"): SecretRule {
  return { name, hints: hints.split("|"), form, pattern: compileOnce(pattern, flags) };
}

function compileOnce(pattern: RegExp | string, flags: string): () => RegExp {
  let compiled = typeof pattern === "string" ? undefined : pattern;
  return () => {
    compiled ??= new RegExp(pattern, flags);
    return compiled;
  };
}

/** Begins at no letter, digit or hyphen, except behind `\n` as JSON writes it, and ends at no letter or digit. */
const APART = "(?:(?<![\\w-])|(?<=\\\\[nrt]))";

const apart = (name: string, hint: string, pattern: string): SecretRule =>
  rule(name, hint, writeOut(`${APART}${pattern}(?!\\w)`), "token", "dg");

const escapeText = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/**
 * A kind of token that says by its beginning what it is: name, the beginnings (exact, separated by spaces), and what
 * follows them as a pattern in short. The fourth is the form where it is not `token`.
 */
type TokenRow = readonly [name: string, openings: string, rest: string, form?: Form];

/**
 * A provider, its key as a pattern in short, and the names that the key goes by where the provider's is not the only one:
 * in lower case, separated by spaces.
 */
type NamedKeyRow = readonly [provider: string, key: string, names?: string];

/**
 * Tokens and keys: what begins with a text of its own, and what only the provider's name before it tells. The forms are
 * facts that their issuers publish, most of them collected in the rules of gitleaks (github.com/gitleaks/gitleaks,
 * config/gitleaks.toml, MIT). `<h32>` stands for 32 hexadecimal digits, `<a20,40>` for 20 to 40 letters and digits.
 */
const { named: namedKeyRows, tokens } = data as unknown as {
  named: readonly NamedKeyRow[];
  tokens: Readonly<Record<string, readonly TokenRow[]>>;
};

const tokenRules = Object.values(tokens)
  .flat()
  .map(([name, openings, rest, form = "token"]): SecretRule => {
    const all = openings.split(" ");
    const source = `${APART}(?:${all.map(escapeText).join("|")})${writeOut(rest)}(?!\\w)`;
    const hints = all.map((one) => one.toLowerCase());
    return { name, hints, form, pattern: compileOnce(source, "dg"), isWord: true };
  });

/** Names under which a secret is kept. */
const NAMES =
  "pass(?:word|wd|phrase|code)|pwd|api[_-]?key|secret|token|(?:access|private|auth|encryption|signing|account)[_-]?key|credentials?";
/** What is in all of them. */
const IN_NAMES = "pass|pwd|key|secret|token|credential";
/** What a value may be made of; quotes, space and what closes a sentence or a bracket end it. */
const VALUE = "[^\\s\"'`,;<>(){}\\[\\]，。；、]";
/** Space within a line: a value that is left empty must not reach into the next line, which is another setting. */
const SPACE = "[^\\S\\r\\n]";
/** The beginning of a line that is itself a setting or a comment. A `=` that ends base64 is neither. */
const SETTING = `["'\`]?[\\w.-]{1,60}["'\`]?${SPACE}{0,3}(?::(?!\\S)|=(?!=?(?:\\s|$)))|[A-Z0-9]{1,40}_\\w{0,40}=|#`;
/** Behind a colon or a word a value may stand on the next line alone. */
const NEXT_LINE = `${SPACE}{0,3}\\r?\\n${SPACE}{0,4}(?!${SETTING})`;
/** The quote that ends a name or begins a value: that of a string in a string has a backslash, and text may be bold. */
const QUOTE = "(?:\\\\{0,3}[\"'`]|\\*{1,2})";
/** What gives a setting its value. */
const GIVES = ":=|=>|->|={1,3}|[:：]";

/* Keys behind their provider's name, as in `ALGOLIA_ADMIN_KEY=…` or "our Algolia key is …". */

/** What a key is called. */
export const isKeyNoun = (words: string): boolean =>
  /key|token|secret|pass|pwd|auth|\bpat\b|_pat$|cred|client.?id|access.?id|login|contribsys/i.test(words);

/** From the provider's name to its key: the rest of the name, then `=`, `:`, "is", or what else gives it a value. */
function behindName(key: string): string {
  const rest = `(?<noun>[\\w.-]{0,60}(?![\\w-])(?:${SPACE}{1,2}(?!is\\b)[\\w./-]{1,30}){0,6}?)`;
  const gives = `(?:${QUOTE}?\\]?${SPACE}{0,3}(?:${GIVES}|,(?=${SPACE}{0,2}${QUOTE})|(?<= )(?=["']))\\*{0,2}${SPACE}{0,3}|${SPACE}{1,2}(?:is|to|was|=)${SPACE}{1,2}|>)`;
  return `${rest}${gives}(?:Bearer |Basic |Token )?${QUOTE}?(?<secret>${key})(?![\\w=+/-])`;
}

function namedRule(name: string, names: string, rest: string, form: Form): SecretRule {
  const all = names.split(" ");
  const pattern = compileOnce(`(?<name>${all.map(escapeText).join("|")})${rest}`, "dgi");
  return { name, hints: all, form, pattern, isWord: true, isNamed: true };
}

const namedRules: readonly SecretRule[] = [
  ...namedKeyRows.map(([provider, key, names = provider.toLowerCase()]) =>
    namedRule(`${provider} key`, names, behindName(`(?:${writeOut(key)})`), "named"),
  ),
  // `MASTER_KEY`, `licenseKey`; many other keys are no secrets.
  namedRule(
    "key in a setting",
    "admin app application master consumer server subscription license licence function functions deploy shared client webhook hmac jwt session cookie root ingest insert crypto cipher security storage project org team bot user io rest write read role integration management personal live prod production test sandbox dev staging host",
    `(?<noun>[_-]?key)(?:${QUOTE}\\]?)?${SPACE}{0,3}(?:${GIVES}|\\bis\\b)\\*{0,2}${SPACE}{0,3}${QUOTE}?(?<secret>${VALUE}{16,500})`,
    "random",
  ),
];

/* What is known by its shape: keys of many lines, addresses, and tokens with their mark in the middle. */

const KUBERNETES_DATA =
  "(?:data|stringData):[^\\S\\n]{0,3}\\r?\\n(?<secret>(?:[^\\S\\n]{1,8}[\\w.-]{1,80}: {0,3}[\"']?[^\\s{$<][^\\n]{3,1500}";

const shapeRules: readonly SecretRule[] = [
  // Behind the first line something like a key must follow: code and documents mention that line alone.
  rule(
    "private key",
    "-----begin",
    /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?=(?:[\s"'`,+>|*#]|\\[nr]){0,40}(?:[A-Za-z0-9+/=]{12}|[A-Z][\w-]{2,20}: ))(?:(?!-----BEGIN )[\s\S]){0,20000}?(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?=-----BEGIN )|$(?![\s\S]))/dg,
  ),
  rule(
    "PuTTY private key",
    "putty-user-key-file",
    /PuTTY-User-Key-File-\d(?:(?!PuTTY-User-Key-File-)[\s\S]){0,8000}?Private-MAC: \w{40,64}/dg,
  ),
  apart("JSON web token", "eyj", "eyJ<w10,4000>\\.eyJ<w10,8000>\\.<w10,1000>"),
  rule(
    "password in an address",
    "://",
    /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@"'`<>]{0,100}:(?<secret>[^\s/@"'`<>]{3,200})@[\w.[-]/dgi,
  ),
  rule(
    "Sidekiq key",
    ".contribsys.com",
    /(?<=\/)[a-f0-9]{8}:[a-f0-9]{8}(?=@(?:gems|enterprise)\.contribsys\.com)/dgi,
  ),
  rule(
    "webhook address",
    "hooks.slack.com/|/api/webhooks/|webhook.office.com/|/bot/v2/hook/",
    /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/|\w{1,60}\.webhook\.office\.com\/webhookb2\/|open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/)(?<secret>[\w/@-]{20,300})/dgi,
  ),
  rule(
    "Sentry address",
    ".ingest.|sentry.io/",
    /https:\/\/(?<secret>[a-f0-9]{32}(?::[a-f0-9]{32})?)@(?:[a-z0-9-]{1,40}\.){1,4}(?:io|com|net|org|dev)(?::\d{1,5})?\/\d{1,20}/dg,
    "token",
  ),
  rule(
    "key in an address",
    "&|?",
    /[?&](?:[\w-]{0,30}(?:key|token|secret|password|pwd|pass|auth)|sig|code|x-amz-signature)=(?<secret>[\w%+/=.~:|$-]{16,2000})/dgi,
    "random",
  ),
  // In an address, `bot` stands right before the number.
  rule("Telegram token", ":a", /(?<![\d-])\d{5,16}:A[\w-]{34}(?!\w)/dg, "token"),
  apart("Terraform token", ".atlasv1.", "<a14>\\.atlasv1\\.[\\w=-]{60,70}"),
  apart("Mailchimp key", "-us", "<h32>-us<d1,2>"),
  rule("Azure secret", "q~", /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{30,33}[\w~]/dg, "token"),
  apart("Azure DevOps token", "azdo", "<a76>AZDO<a4>"),
  apart("MaxMind key", "_mmk", "<a6>_<a29>_mmk"),
  { ...apart("Facebook token", "", "<d15,16>(?:\\||%7[Cc])<w27,40>"), hints: ["|", "%7c"] },
  rule(
    "key in a connection string",
    "key|pass|pwd|sharedsecretvalue",
    /\b(?:AccountKey|SharedAccessKey|SharedSecretValue|Password|Pwd) ?= ?(?<secret>[^\s;"'`<>{}$]{4,200})(?=;|["'`\s]|$)/dgi,
    "password",
  ),
  rule(
    "Kubernetes secret",
    "kind:",
    `\\bkind: {0,3}["']?Secret["']?(?![\\w-])(?:(?!\\n---)[\\s\\S]){0,400}?\\n {0,4}${KUBERNETES_DATA}(?:\\n|$)){1,20})`,
    undefined,
    "dg",
  ),
  rule(
    "Kubernetes secret",
    "kind:",
    `(?<![^\\n])${KUBERNETES_DATA}\\n){1,20})(?:(?!\\n---|\\nkind:)[\\s\\S]){0,400}?\\n?kind: {0,3}["']?Secret(?![\\w-])`,
    undefined,
    "dg",
  ),
];

/* Secrets in settings, files and commands. */

/** What makes of `TOKEN_…=` a setting about the token, and not the token. */
const ABOUT =
  "(?:ID|NAME|URL|URI|PATH|FILE|FILENAME|DIR|HOST|LENGTH|LEN|LIMIT|SIZE|COUNT|MIN|MAX|TTL|EXPIRY|EXPIRES|EXPIRATION|TIMEOUT|LIFETIME|AGE|DAYS|HOURS|MINUTES|SECONDS|MS|TYPE|KIND|MODE|SCOPE|PERMISSION|POLICY|ROTATION|HEADER|ENDPOINT|ISSUER|AUDIENCE|ALGORITHM|ALG|PREFIX|SUFFIX|VERSION|FORMAT|FIELD|COLUMN|ENABLED|DISABLED|REQUIRED|ON|OFF|IN|FROM|REGEX|PATTERN|PROVIDER|BACKEND|STORE|MANAGER|ROUNDS|USAGE|BUDGET|COST|PRICE|LABEL|MESSAGE|ERROR|STATUS|EXISTS|VALID|STRATEGY|REFRESH|CACHE|COMMAND|CMD|HELP|PROMPT|PLACEHOLDER)S?";
const VARIABLE =
  "\\b[A-Z][A-Z0-9_]{0,40}?(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)";

const settingRules: readonly SecretRule[] = [
  rule(
    "authorization header",
    "bearer|basic|token",
    /\b(?:bearer|basic|token)[^\S\r\n]{1,3}(?<secret>[\w+/=.~-]{16,2000})/dgi,
    "header",
  ),
  rule(
    "authorization header",
    "authorization",
    /\bauthorization["'`]?\]?[^\S\r\n]{0,3}[:=,][^\S\r\n]{0,3}["'`]?(?:[A-Za-z-]{2,30}[^\S\r\n]{1,2})?(?<secret>[\w+/=.~|:-]{16,2000})/dgi,
    "random",
  ),
  // Docker's and npm's user and password in base64
  rule(
    "password in a setting",
    "auth",
    /(?:"auth"[^\S\r\n]{0,3}:[^\S\r\n]{0,3}"|\b_auth[^\S\r\n]{0,3}=[^\S\r\n]{0,3}["']?)(?<secret>[\w+/]{12,500}={0,2})/dg,
    "password",
  ),
  // `DB_PASSWORD=postgres`: written like that it is the value, however plain.
  rule(
    "secret in a variable",
    "=",
    `${VARIABLE}(?:_(?!(?:${ABOUT})(?:_|=))[A-Z0-9]{1,20}){0,2}=["']?(?<secret>${VALUE}{4,500})`,
    "value",
    "dg",
  ),
  // `set -x API_TOKEN "…"`, `setenv("API_TOKEN", "…")`
  rule(
    "secret in a variable",
    IN_NAMES,
    `${VARIABLE}(?:["'],)?${SPACE}{1,2}["'](?<secret>${VALUE}{6,500})["']`,
    "password",
    "dg",
  ),
  rule(
    "secret in a setting",
    IN_NAMES,
    `(?:${NAMES})(?:${QUOTE}\\]?)?\\s{0,3}(?:(?::=|=>|={1,3})${SPACE}{0,3}|[:：]\\*{0,2}(?:${SPACE}{0,3}|${NEXT_LINE}))${QUOTE}?(?<secret>${VALUE}{6,500})`,
    "password",
  ),
  rule(
    "secret in XML",
    "<",
    `<[\\w.:-]{0,40}?(?:${NAMES})>${SPACE}{0,3}(?<secret>[^\\s<>\${}]{4,300})${SPACE}{0,3}</`,
    "value",
  ),
  rule(
    "secret in XML",
    "value=",
    `(?:key|name)=["'][\\w.:-]{0,40}?(?:${NAMES})["']${SPACE}{1,3}value=["'](?<secret>[^"'\\s<>%\${}]{4,300})["']`,
    "value",
  ),
  rule(
    "secret on a command line",
    "--|-u|-p",
    /(?:--(?:password|passwd|pass|token|secret|api-?key|auth-?token)(?:=|[^\S\r\n]{1,3})|\bsshpass {1,3}-p ?|\bcurl\b[^\n]{0,200}?\s-u {1,3}["']?[^\s:"']{1,60}:|\bmysql\b[^\n]{0,200}?\s-p)["']?(?<secret>[^\s"'`<>$(){}]{4,300})/dgi,
    "password",
  ),
];

/* Passwords and keys that people tell in a sentence: "the db password is …", "пароль от базы: …". */

const SENTENCE = "password in a sentence";
/** What a password of people may be made of: printable ASCII but quotes, brackets, and what divides or ends sentences. */
const TYPED = "[!#-&*+\\-./0-:=?-Z\\\\^_a-z|~]";
/** Of the Latin and Cyrillic scripts; `\p{L}` takes the flag u, with which a search takes several times as long. */
const LETTER = "[A-Za-zÀ-ɏЀ-ӿ]";
const OPEN_QUOTE = `["'\`“”„«»「『‘]?${SPACE}?`;

/**
 * For languages with a space between words: what the secret is called, up to an ending of three letters, and what gives it
 * a value besides `:` and `=`; between them up to six more words may stand. `~` before a name: it ends longer words as well.
 */
const TOLD_WITH_SPACES: readonly (readonly [names: string, verbs: string])[] = [
  ["парол|токен|ключ|секрет", "это|такой|будет|теперь|сейчас|стал|—|–|-"],
  ["contrase|clave|secreto", "es|son|será|sera|era|ahora es|sigue siendo|a"],
  ["senha|palavra-passe|chave|segredo", "é|eh|será|era|agora é|fica|para"],
  // "Datenbankpasswort"
  ["~passwor|kennwort|schlüssel|geheimnis", "ist|lautet|heißt|heisst|wäre|war|auf|jetzt"],
  ["mot de passe|mots de passe|mdp|clé|jeton", "est|sera|c['’]est|était|devient|à"],
  ["password|parola d|chiave", "è|e['’]|sarà|era|adesso è|diventa"],
  // The same word in many languages: what gives it a value tells them apart from English.
  ["~token", "es|será|é|eh|ist|lautet|est|sera|è|sarà"],
];

/** For languages without: the value follows a particle or verb. */
const TOLD_WITHOUT: readonly (readonly [names: string, verbs: string])[] = [
  ["密码|口令|密钥|令牌|秘钥|密碼|密鑰|金鑰", "是|为|為|用|改成|改为|設為|设为|設成|设成"],
  ["パスワード|パスコード|トークン|シークレット|キー|暗証番号", "は|が|を|には|って"],
  ["비밀번호|비번|패스워드|암호|토큰|시크릿|키", "은|는|이|가|을|를"],
];

const sentenceRules: readonly SecretRule[] = [
  rule(
    SENTENCE,
    IN_NAMES,
    `\\b(?:${NAMES})s?\\b(?:\\s{1,3}[\\w./@-]{1,30}){0,6}?\\s{1,3}(?:(?:(?:is|was|were|has been|got) (?:now )?(?:changed|set|reset|updated) to|is|are|was|set to|changed to|to be|should be|must be|will be|to|are now)(?:${SPACE}{1,3}|${NEXT_LINE})|=${SPACE}{1,3})(?:now\\s{1,3}|still\\s{1,3})?["'\`]?(?<secret>${VALUE}{6,200})`,
    "password",
  ),
  ...TOLD_WITH_SPACES.map(([given, verbs]) => {
    const names = given.replace(/^~/, "");
    return rule(
      SENTENCE,
      names,
      `${given === names ? `(?<!${LETTER})` : ""}(?:${names})${LETTER}{0,3}(?!${LETTER})(?:${SPACE}{0,3}[:=]|(?:${SPACE}{1,3}[^\\s:=—–"\`@[\\]]{1,30}){0,6}?(?:${SPACE}{0,3}[:=]${SPACE}|${SPACE}{1,3}(?:${verbs}):?${SPACE}))${SPACE}{0,3}${OPEN_QUOTE}(?<secret>${TYPED}{6,200})`,
      "password",
    );
  }),
  ...TOLD_WITHOUT.map(([names, verbs]) =>
    rule(
      SENTENCE,
      names,
      `(?:${names})[^\\n。；\\w]{0,12}?(?:=${SPACE}{0,3}|(?:${verbs}|[:：])[:：]?(?:${SPACE}{0,3}|${NEXT_LINE}))${OPEN_QUOTE}(?<secret>${TYPED}{6,200})`,
      "password",
    ),
  ),
  // Quoted, or nothing but digits: a plain word or number is meant as the password itself.
  rule(
    SENTENCE,
    "pass|pwd|密码|口令",
    `(?:\\bpass(?:word|wd|phrase|code)|\\bpwd|密码|口令)(?:\\s{1,3}(?:for|of|on|to|at|in)(?:\\s{1,3}[\\w./@-]{1,30}){1,4}?)?\\s{0,3}(?:=${SPACE}{0,3}|(?:\\bis\\b|\\bwas\\b|[:：]|是|为)(?:${SPACE}{0,3}|${NEXT_LINE}))["'\`“「]?(?<secret>(?<=["'\`“「])(?![~.]{0,2}/)[^\\s"'\`”」]{4,100}(?=["'\`”」])|\\d{4,20}(?![\\w.%]))`,
  ),
  // "log in with admin / …", "credentials: bob@example.com / …"
  rule(
    SENTENCE,
    "log in|login|sign in|signin|credential|creds|account|user",
    `\\b(?:log ?in|sign ?in|credentials?|creds|account|user(?:name)?)\\b[^\\n/|]{0,60}?[\\s("'\`](?:[\\w.+-]{2,40}(?:@[\\w.-]{3,60})?)["'\`]?(?:${SPACE}{1,2}[/|:]${SPACE}{1,2}|:|/)["'\`]?(?<secret>${VALUE}{6,100})`,
    "login",
  ),
  // "use password … for admin", `machine x login y password …`
  rule(
    SENTENCE,
    "pass|pwd",
    `\\b(?:password|passwd|pwd|pass|passphrase)${SPACE}{1,2}["'\`(]?(?<secret>${VALUE}{8,100})`,
    "login",
  ),
  // "use … as the password", "… als Passwort"
  rule(
    SENTENCE,
    " as | als pass| como contrase| como senha| comme mot| come pass| как пар",
    `(?:\\b(?:use|using|take|set|put|try|with|nimm|verwende|usa|usar|utiliza|utilise|mets)|используй|поставь)${SPACE}{1,2}["'\`]?(?<secret>${TYPED}{8,200})["'\`]?,?${SPACE}{1,2}(?:as|als|como|comme|come|как)${SPACE}{1,2}(?:[^\\s,.;:]{1,20}${SPACE}{1,2}){0,3}?(?:(?:api[- ]?)?key|token|secret|passwor[dt]|pwd|contraseña|senha|mot de passe|парол[ья])(?!${LETTER})`,
    "login",
  ),
];

export const secretRules: readonly SecretRule[] = [
  ...tokenRules,
  ...namedRules,
  ...shapeRules,
  ...settingRules,
  ...sentenceRules,
];
