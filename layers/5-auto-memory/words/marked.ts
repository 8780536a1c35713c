/**
 * Sentences that say themselves that they are to last: "remember: …", "from now on …", "always …" and "never …" as rules
 * of their own, in ten languages. The only words that are kept without anybody's judgement, so the table holds what is
 * plain and nothing else: whatever needs understanding is a judge's. Pure.
 */
import { type MemoryDraft, type MemoryType, readTypeName } from "../../../src/memory/memory.js";
import { announcesOthers, formatStatement, type Statement } from "./statements.js";

/** Each is looked for at the beginning of a sentence, whatever polite words stand before it. */
interface Marks {
  polite: string;
  /** Asks for it to be known: the rest is what to know. */
  remember: string;
  /** Begins or ends a rule. */
  fromNowOn: string;
  /** Begins an order: followed by what to do. */
  always: string;
}

const MARKS: readonly Marks[] = [
  {
    polite: "please|and|also|so|but|ok(?:ay)?|again|no|important",
    remember:
      "remember(?: this| that)?:|remember that|remember,|(?:keep|bear) in mind that|for (?:future reference|the future|next time|later sessions)[,:]|don'?t forget:",
    fromNowOn: "from now on|from here on(?: out)?|going forward|in (?:all )?future(?! work)|henceforth",
    always:
      "(?:you (?:must|should|have to) )?(?:always|never(?! ?mind\\b))(?! \\w*[^\\Wsu]s\\b)|under no circumstances|as a rule,",
  },
  {
    polite: "por favor|y|además|pero|vale|bueno|no|importante",
    remember:
      "recuerda(?: que|:)|recordad? que|ten en cuenta(?: que|:)|para (?:el futuro|la próxima vez)[,:]|no olvides que",
    fromNowOn: "(?:a partir de|desde) (?:ahora|hoy)|de ahora en adelante|en adelante|en lo sucesivo",
    always:
      "(?:debes )?(?:siempre|nunca|jamás)(?! (?:me|nos|se|ha|es|hay) )|bajo ninguna circunstancia|por norma,",
  },
  {
    polite: "por favor|e|além disso|mas|ok|não|importante",
    remember:
      "lembre(?:-se)?(?: de)?(?: que|:)|lembra(?:-te)? que|tenha em mente(?: que|:)|para (?:o futuro|a próxima vez)[,:]|não (?:se )?esqueça(?: de)? que",
    fromNowOn:
      "(?:a partir de|desde) (?:agora|hoje)|de agora em diante|daqui (?:em|para a) (?:diante|frente)",
    always:
      "(?:deve(?:s)? )?(?:sempre|nunca|jamais)(?! (?:me|nos|se|foi|é|há|dá|mi|ci) )|em hipótese alguma|de forma alguma",
  },
  {
    polite: "s'il (?:te|vous) pla[iî]t|stp|svp|et|aussi|mais|ok|non|important",
    remember:
      "(?:souviens-toi|rappelle-toi|retiens|souvenez-vous|retenez|rappelez-vous)(?: que| qu'|:)|garde(?:z)? à l'esprit que|pour (?:la suite|plus tard|la prochaine fois)[,:]|n'oublie(?:z)? pas que",
    fromNowOn: "désormais|dorénavant|à partir de maintenant|à l'avenir",
    always: "(?:il faut |tu dois |vous devez )?(?:toujours|jamais)|ne (?:\\S+ )?jamais|en aucun cas",
  },
  {
    polite: "bitte|und|auch|aber|ok|nein|wichtig",
    remember:
      "(?:merk|merke|merken sie) (?:dir|sich)(?: bitte)?(?:,|:)|(?:denk|denke) (?:dran|daran)[,:]|für (?:die zukunft|später|das nächste mal)[,:]|vergiss nicht[,:]",
    fromNowOn: "ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|in zukunft|künftig|zukünftig",
    always:
      "(?:immer|nie(?:mals)?|grundsätzlich)(?! \\p{Ll}+t(?!\\p{L}))|auf keinen fall|unter keinen umständen",
  },
  {
    polite: "per favore|e|anche|ma|ok|no|importante",
    remember:
      "ricorda(?:ti|te)?(?: che|:)|tieni (?:a mente|presente)(?: che|:)|per (?:il futuro|la prossima volta)[,:]|non dimenticare che",
    fromNowOn: "d'ora in (?:poi|avanti)|da (?:ora|adesso|oggi) in (?:poi|avanti)|in futuro",
    always: "(?:devi )?(?:sempre|mai)(?! (?:mi|ci|si|è|ho|ha|me|nos) )|non (?:\\S+ )?mai|in nessun caso",
  },
  {
    polite: "пожалуйста|и|а|ещё|но|ок|нет|важно",
    remember:
      "запомни(?:те)?(?:,? что|:|,)|имей(?:те)? в виду(?:,? что|:|,)|учти(?:те)?(?:,? что|:|,)|на будущее[,:]|не забудь(?:те)?,? что",
    fromNowOn: "отныне|впредь|с этого момента|(?:начиная )?с сегодняшнего дня|в дальнейшем|в будущем",
    always: "(?:всегда|никогда)(?! (?:не )?\\p{L}+[еиуюаяё]т(?:ся)?(?!\\p{L}))|ни в коем случае",
  },
];

/** Scripts without spaces between words, where a beginning ends anywhere. */
const DENSE: readonly Marks[] = [
  {
    polite: "请|并且|另外|还有|但|好的?|不|重要[：:]|注意[：:，,]",
    remember: "(?:请)?(?:记住|记得|牢记)[：:，,]?|(?:请)?(?:谨记)|下次注意[：:，,]?",
    fromNowOn: "从(?:现在|今天|今后)(?:起|开始)|以后|今后|往后",
    always:
      "(?:必须|应该)?(?:永远|始终|一律|务必|绝不|绝对不(?:要|能|可以)|永远不(?:要|能)?|千万(?:不要|别))",
  },
  {
    polite: "なお|また|では|はい|いや|重要[：:]|注意[：:]",
    remember: "覚えて(?:おいて)?(?:ください)?[：:、]|今後のために[：:、]?|次回のために[：:、]?",
    fromNowOn: "今後は?|これからは?|以後は?|次回から(?:は)?",
    always: "必ず|常に|絶対に|決して",
  },
  {
    polite: "그리고|또한?|하지만|네|아니요?|중요[:：]",
    remember: "기억해(?: ?줘| ?두세요| ?주세요)?[:：,]|다음을 위해[:：,]?",
    fromNowOn: "앞으로(?:는)?|지금부터(?:는)?|이제부터(?:는)?",
    always: "(?:항상|언제나)(?=.*(?:세요|하라|해라|줘|것)[.!]?$)|반드시|절대(?:로)?|결코",
  },
];

const LONGEST = 400;
/** What a person marks has a subject; a word alone is an exclamation. */
const SHORTEST = 12;
const SHORTEST_DENSE = 6;
/** A message with more statements is a document, whoever wrote it. */
const MOST_STATEMENTS = 40;

interface Compiled {
  remember: RegExp;
  rule: RegExp;
  ending: RegExp;
  shortest: number;
}

const compiled: readonly Compiled[] = [
  ...MARKS.map((marks) => compile(marks, "(?![\\p{L}\\p{N}])", SHORTEST)),
  ...DENSE.map((marks) => compile(marks, "", SHORTEST_DENSE)),
];

function compile({ always, fromNowOn, polite, remember }: Marks, end: string, shortest: number): Compiled {
  const begin = `^(?:[\\p{P}\\p{S}\\s]*(?:${polite})${end}[\\s,，、:：!！.]*)*[\\p{P}\\p{S}\\s]*`;
  return {
    remember: new RegExp(`${begin}(?:${remember})\\s*(?=\\S)`, "iu"),
    rule: new RegExp(`${begin}(?:${fromNowOn}|${always})${end}[\\s,，、:：]*(?=[\\p{L}\`"'])`, "iu"),
    ending: new RegExp(`[\\s,，、](?:${fromNowOn})[.!。！]?$`, "iu"),
    shortest,
  };
}

/** Whoever is told who they are is given a part to play, be it the agent or a program that the user writes. */
const PART =
  /^[\p{P}\s]*(?:you are|you're|eres|você é|tu es|vous êtes|du bist|sie sind|sei (?:un|il|la)|ты (?:—|-|–)|вы (?:—|-|–)|你是|あなたは|당신은)/iu;

/** The type under which a marked statement is kept; `undefined` for one that is not marked. */
export function findMark(statement: Statement, of: readonly Statement[]): MemoryType | undefined {
  const { heading, isQuestion, text } = statement;
  if (isQuestion || text.length > LONGEST || of.length > MOST_STATEMENTS) return undefined;
  if (heading !== undefined && announcesOthers(heading)) return undefined;
  if (isAskedAbout(statement, of) || of.some((one) => PART.test(one.text))) return undefined;
  // Below a heading that is no mark, a rule holds for whatever the heading names.
  const plain = formatStatement(statement).replaceAll("’", "'");
  for (const { ending, remember, rule, shortest } of compiled) {
    if (plain.length < shortest) continue;
    if (rule.test(plain) || ending.test(plain)) return "directive";
    if (remember.test(plain)) return "knowledge";
  }
  return undefined;
}

/** Is it of a list behind which the user asks something about it? */
function isAskedAbout(statement: Statement, of: readonly Statement[]): boolean {
  const behind = of.slice(of.indexOf(statement) + 1);
  return statement.isItem && behind.find((one) => one.isQuestion || !one.isItem)?.isQuestion === true;
}

const RULE = /^(always|never|don['’]?t|do not|use|prefer|avoid|please|make sure|remember to)\b/i;

/** The first words of a preference, which git does not see. */
const PREFERENCE = /^(?:i|we) (?:prefer|like|love|dislike|hate)\b/i;

/** `decision: we use port 8080` names its type; otherwise by its beginning; what is neither rule nor preference is knowledge. */
export function planRemembered(words: string): Pick<MemoryDraft, "type" | "content"> {
  const content = words.trim();
  const [, named, rest = ""] = /^([a-z]+):\s*(.*)$/s.exec(content) ?? [];
  const type = readTypeName(named);
  if (type !== undefined) return { type, content: rest.trim() };
  const statements = [{ text: content.split("\n")[0] ?? "", isItem: false, isQuestion: false }];
  const isRule = RULE.test(content) || findMark(statements[0] as Statement, statements) === "directive";
  if (PREFERENCE.test(content)) return { type: "preference", content };
  return { type: isRule ? "directive" : "knowledge", content };
}
