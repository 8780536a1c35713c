/**
 * Passwords and keys that people tell in a sentence: "the db password is …", "пароль от базы: …". One row a language:
 * what the secret is called, and what stands between that and the secret itself.
 */
import type { SecretRule } from "./rule.js";
import { NAMES, NEXT_LINE, SPACE, VALUE } from "./settings.js";

const NAME = "password in a sentence";
/** What a password of people may be made of: printable ASCII but quotes, brackets, and what divides or ends sentences. */
const TYPED = "[!#-&*+\\-./0-:=?-Z\\\\^_a-z|~]";
/** Of the Latin and Cyrillic scripts; `\p{L}` takes the flag u, with which a search takes several times as long. */
const LETTER = "[A-Za-zÀ-ɏЀ-ӿ]";
const NO_LETTER_BEFORE = `(?<!${LETTER})`;
const NO_LETTER_AFTER = `(?!${LETTER})`;
const QUOTE = "[\"'`“”„«»「『‘]";
const OPEN_QUOTE = `${QUOTE}?${SPACE}?`;

interface Wording {
  /** What the secret is called, up to an ending of three letters; these are the hints, too. */
  names: string;
  /** What gives it a value, besides `:` and `=`. */
  verbs: string;
  /** Whether the names stand at the end of longer words, too. */
  isAtEnd?: boolean;
}

/** Languages that write a space between words: between name and verb up to six more may stand. */
const WITH_SPACES: readonly Wording[] = [
  { names: "парол|токен|ключ|секрет", verbs: "это|такой|будет|теперь|сейчас|стал|—|–|-" },
  { names: "contrase|clave|secreto", verbs: "es|son|será|sera|era|ahora es|sigue siendo|a" },
  { names: "senha|palavra-passe|chave|segredo", verbs: "é|eh|será|era|agora é|fica|para" },
  {
    // "Datenbankpasswort"
    names: "passwor|kennwort|schlüssel|geheimnis",
    isAtEnd: true,
    verbs: "ist|lautet|heißt|heisst|wäre|war|auf|jetzt",
  },
  { names: "mot de passe|mots de passe|mdp|clé|jeton", verbs: "est|sera|c['’]est|était|devient|à" },
  { names: "password|parola d|chiave", verbs: "è|e['’]|sarà|era|adesso è|diventa" },
  {
    // The same word in many languages: what gives it a value tells them apart from English.
    names: "token",
    isAtEnd: true,
    verbs: "es|será|é|eh|ist|lautet|est|sera|è|sarà",
  },
];

/** Languages that write none: the value follows a particle or verb. */
const WITHOUT_SPACES: readonly Wording[] = [
  { names: "密码|口令|密钥|令牌|秘钥|密碼|密鑰|金鑰", verbs: "是|为|為|用|改成|改为|設為|设为|設成|设成" },
  { names: "パスワード|パスコード|トークン|シークレット|キー|暗証番号", verbs: "は|が|を|には|って" },
  { names: "비밀번호|비번|패스워드|암호|토큰|시크릿|키", verbs: "은|는|이|가|을|를" },
];

const withSpaces = ({ isAtEnd, names, verbs }: Wording): SecretRule => ({
  name: NAME,
  hints: names.split("|"),
  pattern: new RegExp(
    `${isAtEnd ? "" : NO_LETTER_BEFORE}(?:${names})${LETTER}{0,3}${NO_LETTER_AFTER}(?:${SPACE}{0,3}[:=]|(?:${SPACE}{1,3}[^\\s:=—–"\`@[\\]]{1,30}){0,6}?(?:${SPACE}{0,3}[:=]${SPACE}|${SPACE}{1,3}(?:${verbs}):?${SPACE}))${SPACE}{0,3}${OPEN_QUOTE}(?<secret>${TYPED}{6,200})`,
    "dgi",
  ),
  look: "password",
});

const withoutSpaces = ({ names, verbs }: Wording): SecretRule => ({
  name: NAME,
  hints: names.split("|"),
  pattern: new RegExp(
    `(?:${names})[^\\n。；\\w]{0,12}?(?:=${SPACE}{0,3}|(?:${verbs}|[:：])[:：]?(?:${SPACE}{0,3}|${NEXT_LINE}))${OPEN_QUOTE}(?<secret>${TYPED}{6,200})`,
    "dg",
  ),
  look: "password",
});

const PASSWORD = ["pass", "pwd"];

export const sentenceRules: readonly SecretRule[] = [
  {
    name: NAME,
    hints: ["pass", "pwd", "key", "secret", "token", "credential"],
    pattern: new RegExp(
      `\\b(?:${NAMES})s?\\b(?:\\s{1,3}[\\w./@-]{1,30}){0,6}?\\s{1,3}(?:(?:(?:is|was|were|has been|got) (?:now )?(?:changed|set|reset|updated) to|is|are|was|set to|changed to|to be|should be|must be|will be|to|are now)(?:${SPACE}{1,3}|${NEXT_LINE})|=${SPACE}{1,3})(?:now\\s{1,3}|still\\s{1,3})?["'\`]?(?<secret>${VALUE}{6,200})`,
      "gid",
    ),
    look: "password",
  },
  ...WITH_SPACES.map(withSpaces),
  ...WITHOUT_SPACES.map(withoutSpaces),
  {
    // Quoted, or nothing but digits: a plain word or number is meant as the password itself.
    name: NAME,
    hints: [...PASSWORD, "密码", "口令"],
    pattern: new RegExp(
      `(?:\\bpass(?:word|wd|phrase|code)|\\bpwd|密码|口令)(?:\\s{1,3}(?:for|of|on|to|at|in)(?:\\s{1,3}[\\w./@-]{1,30}){1,4}?)?\\s{0,3}(?:=${SPACE}{0,3}|(?:\\bis\\b|\\bwas\\b|[:：]|是|为)(?:${SPACE}{0,3}|${NEXT_LINE}))["'\`“「]?(?<secret>(?<=["'\`“「])(?![~.]{0,2}/)[^\\s"'\`”」]{4,100}(?=["'\`”」])|\\d{4,20}(?![\\w.%]))`,
      "dgi",
    ),
  },
  {
    // "log in with admin / …", "credentials: bob@example.com / …"
    name: NAME,
    hints: ["log in", "login", "sign in", "signin", "credential", "creds", "account", "user"],
    pattern: new RegExp(
      `\\b(?:log ?in|sign ?in|credentials?|creds|account|user(?:name)?)\\b[^\\n/|]{0,60}?[\\s("'\`](?<user>[\\w.+-]{2,40}(?:@[\\w.-]{3,60})?)["'\`]?(?:${SPACE}{1,2}[/|:]${SPACE}{1,2}|:|/)["'\`]?(?<secret>${VALUE}{6,100})`,
      "gid",
    ),
    look: "login",
  },
  {
    // "use password … for admin", `machine x login y password …`
    name: NAME,
    hints: PASSWORD,
    pattern: new RegExp(
      `\\b(?:password|passwd|pwd|pass|passphrase)${SPACE}{1,2}["'\`(]?(?<secret>${VALUE}{8,100})`,
      "gid",
    ),
    look: "login",
  },
  {
    // "use … as the password", "… als Passwort"
    name: NAME,
    hints: [
      " as the ",
      " as our ",
      " as my ",
      " as a",
      " as pass",
      " as db",
      " as root",
      " als pass",
      " como contrase",
      " como senha",
      " comme mot",
      " come pass",
      " как пар",
    ],
    pattern: new RegExp(
      `(?:\\b(?:use|using|take|set|put|try|with|nimm|verwende|usa|usar|utiliza|utilise|mets)|используй|поставь)${SPACE}{1,2}["'\`]?(?<secret>${TYPED}{8,200})["'\`]?,?${SPACE}{1,2}(?:as|als|como|comme|come|как)${SPACE}{1,2}(?:[^\\s,.;:]{1,20}${SPACE}{1,2}){0,3}?(?:(?:api[- ]?)?key|token|secret|passwor[dt]|pwd|contraseña|senha|mot de passe|парол[ья])${NO_LETTER_AFTER}`,
      "dgi",
    ),
    look: "login",
  },
];
