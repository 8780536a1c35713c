/**
 * The format of a language's data file: by which words somebody else's text is told from the user's own, and a command
 * or a session's rule from other sentences. A further language is another such constant and an entry of `languages`.
 *
 * All patterns are tried on one sentence, in which a single private-use character replaces each quotation and each
 * piece of inline code: quoted words are someone else's.
 */

export interface Language {
  /** Matches sentences in this language. The first matching language applies. */
  isIn: RegExp;
  /** A line, ending in a colon, that introduces someone else's words: a log or a message, not a page to work on. */
  introducesOthers: RegExp;
  /** The same without a colon: "here is the page I found". */
  presentsOthers: RegExp;
  /**
   * A colon within a sentence that introduces someone else's words to the end of the line: "the customer writes: …".
   */
  quotesOthers: RegExp;
  /** A line, ending in a colon, that introduces a list of rules. */
  introducesRules: RegExp;
  /** Opening words without content: in no title, and of no weight where statements are compared. */
  opening: RegExp;
  /** Patterns that name a command in a sentence, and the words that identify that command. */
  triggers: readonly { pattern: RegExp; when: readonly string[] }[];
  /** For session notes, which accept more than memory does: a rule for this session is enough. */
  corrections: readonly RegExp[];
  sessionRules: RegExp;
  /** "Could you always …?" is a rule, "does it only …?" is not. */
  sessionRulesInQuestions: RegExp;
  /** Phrases with which an agent gives its reasons. */
  reasons: RegExp;
}

const english: Language = {
  isIn: /[a-z]/i,
  introducesOthers:
    /\b(output|log(s|file)?|says?|said|docs?|documentation|readme|error|message|trace|from|wrote|writes|e-?mail|slack|ticket|issue|comment|review(er)?|got (this|back)|this is what|pasted?|clipboard|response|answer|article|snippet|result|report|prints?|printed|returns?|returned|quote|diff|told (me|us)|tweet|post|transcript|contents?|following|found|saw|stumbled|copied|spec|customer|description|translate|summari[sz]e|rephrase|proofread)\b[^.!?]*:\s*$/i,
  presentsOthers:
    /^((ok|so|and|hey|look|hi),? )*((here|this|below|attached) (is|are)|here'?s|this'?s|i (just )?(found|got|copied|received|pasted)|(see|read|look at|check)( out)?) (this|that|the|an?|what|my|our|his|her|their|some) ([\w'-]+ ){0,3}?(page|log|output|article|docs?|documentation|e-?mail|mail|message|content|text|snippet|error|trace|result|answer|post|comment|review|ticket|issue|thread|readme|spec|tweet|response|reply|transcript|they (said|wrote|sent)|he (said|wrote|sent)|she (said|wrote|sent)|it (says|said|prints|printed))s?\b[^.!?:]{0,60}$/i,
  quotesOthers:
    /\b(forwarded|copied|pasted|quoted|quoting|translated) (this )?from\b[^.!?:]{0,40}:\s|\b(writes|repl(ies|ied)|answer(s|ed)|responds|responded|comment(s|ed)|posts|posted|e-?mailed|messaged|notes|noted|pinged)( back| me| us)?( (in|on|to|under) \w+( \w+){0,3})?\s*:|\b(this|that|these|the following|his|her|their|\w+'s) (\w+ )?(comment|message|e-?mail|mail|review|ticket|post|note|tweet|text|sentence|quote|reply|answer|feedback|request|issue|description|paragraph|line|snippet|string|title|rule)s?\b[^.!?:]{0,50}:\s/i,
  introducesRules:
    /\b(rules?|conventions?|guidelines?|preferences?|principles|standards|(ground|house) rules|style|dos and don'?ts|remember|always|never|keep in mind|policy|policies|requirements for (all|every))\b[^.!?]*:\s*$/i,
  opening:
    /^(((that|this|it)('s| is) (wrong|not (right|correct|true))|please|pls|no(?=[,.!:;—–-]|\s+(?:the|it|that|we|this|our|you|i|they|there|its|actually|wrong)\b)|nope|nah|not quite|((small|quick|minor|tiny|slight|little|one|another|important) )?(correction|clarification|nitpick|nit|erratum)|i misspoke( (earlier|before|there))?|my (mistake|bad)|ok|okay|so|and|but|also|well|actually|wrong|again|btw|by the way|fwiw|fyi|heads[- ]?up|note|remember(?! to\b)|important|from now on|going forward|for the record|for the future|in general|generally|basically|personally|one (more )?thing( though)?|honestly|frankly|hold on|hang on|absolutely(?= no\b)|definitely(?= no\b)|seriously|ideally|strictly(?= no\b)|look|listen|tbh|imo|imho|afaik|fwiw|alright|hmm+ no|ugh|argh|dude|man|bro|ffs|and remember(?! to\b)|just to (be clear|correct you|correct that)|just so it'?s clear|for the next time|next time|quick note|last thing|another thing|(just )?so (that )?(you|u)( know|('re| are) aware)|to be clear|in case you wonder\w*|after the \w+|keep in mind|in this (project|repo|codebase|repository)|here|just|hey|hi|hm+|oh|ah|wait|yes|yeah|yep|sorry|thanks|great|good|nice|cool|fine|last (week|month|friday|monday|night)|yesterday|oh and)\b[,.:;!—–-]*\s*(that (?!'s|is\b|one\b))?)+(?=\S)/i,
  triggers: [
    { pattern: /\b(commit(s|ting|ted)?|commit messages?|squash\w*|amend\w*)\b/i, when: ["git commit"] },
    { pattern: /\b(push(es|ing|ed)?|force[- ]push\w*)\b/i, when: ["git push"] },
    { pattern: /\b(merge[sd]?|merging)\b/i, when: ["git merge"] },
    { pattern: /\b(rebas(e|es|ed|ing))\b/i, when: ["git rebase"] },
    { pattern: /\b(pull requests?|prs?)\b/i, when: ["gh pr"] },
    { pattern: /\b(deploy(s|ed|ing|ment|ments)?|go live)\b/i, when: ["deploy"] },
    { pattern: /\b(releas(e|es|ed|ing)|publish\w*|ship(ping)?)\b/i, when: ["release", "publish"] },
    { pattern: /\b(migrations?|schema)\b/i, when: ["migrat*", "schema"] },
    { pattern: /\b(tests?|testing|specs?|mocks?)\b/i, when: ["test"] },
    { pattern: /\b(dependenc(y|ies)|packages?|librar(y|ies))\b/i, when: ["install", "package.json"] },
    { pattern: /\b(lint(er|ing)?)\b/i, when: ["*lint"] },
    { pattern: /\b(docker|containers?|images?)\b/i, when: ["docker"] },
    { pattern: /\b(sql|queries|database|db)\b/i, when: ["sql"] },
  ],
  corrections: [
    /^(no|nope|nah|wait)\s*([,.!:;–—-]|$)|^(stop|undo|revert)\b|\b(wrong|incorrect|actually)\b/i,
    /\b(that'?s not|not what i|i (said|meant|told you)|you (forgot|misunderstood|broke)|shouldn'?t have|instead)\b/i,
  ],
  sessionRules:
    /\b(only|prefer|should|shouldn'?t|because|rather than|has to|have to|required|forbidden|not allowed)\b|\buse\s+\S+(\s+\S+){0,3}?,?\s+not\b|^no\s+\w/i,
  sessionRulesInQuestions:
    /\b(never|always|must|mustn'?t|don'?t|do not|no longer|make sure|ensure|remember|from now on|keep in mind|under no circumstances|avoid)\b/i,
  reasons: /\b(because|so that|decided|decision|chose|the reason|root cause|turns out)\b/i,
};

const chinese: Language = {
  isIn: /\p{Script=Han}/u,
  introducesOthers:
    /(输出|日志|报错|错误|文档|说|写道|写着|如下|内容|邮件|消息|回复|结果|返回|评论|原文|翻译|总结|客户)[^。!！?？]*[:：]\s*$/,
  presentsOthers:
    /^(这(是|里是)|下面是|以下是|我(找到|看到|收到|复制)了?)[^。!！?？:：]{0,30}(页面|日志|输出|文章|文档|邮件|消息|内容|报错|结果|评论|回复|帖子|原文)$/,
  quotesOthers:
    /(这(条|个|段|封|句)|他的|她的|客户的|下面的)(评论|消息|邮件|回复|意见|需求|描述|文字|话|留言)[^。!！?？:：]{0,15}[:：]|(他们?|她们?|客户|同事|老板)(说|写道|写|回复|留言)[:：]/,
  introducesRules: /(规则|规范|约定|规矩|要求|偏好|原则|注意事项|记住|准则|习惯)[^。!！?？]*[:：]\s*$/,
  opening:
    /^(((不对|错了|不是|不)(?=[,，。:：!！、\s])|请|记住|注意|以后|今后|从现在起|从现在开始|另外|还有|其实|顺便说一下|备注|好的|麻烦)[,，。:：!！、\s]*)+/,
  triggers: [
    { pattern: /提交/, when: ["git commit"] },
    { pattern: /推送|推到|强推|push/, when: ["git push"] },
    { pattern: /合并/, when: ["git merge"] },
    { pattern: /变基|rebase/, when: ["git rebase"] },
    { pattern: /部署|上线/, when: ["deploy"] },
    { pattern: /发布|发版/, when: ["release", "publish"] },
    { pattern: /迁移|表结构/, when: ["migrat*", "schema"] },
    { pattern: /测试|单测/, when: ["test"] },
    { pattern: /依赖|第三方(库|包)/, when: ["install", "package.json"] },
    { pattern: /数据库|查询/, when: ["sql"] },
    { pattern: /容器|镜像/, when: ["docker"] },
  ],
  corrections: [/不对|错了|不是这样|改用|改成|换成|而不是|其实|别这样|停下|我说的是|你忘了|撤销|回滚/],
  sessionRules: /应该|应当|只能|只用|只要|优先|尽量|最好|因为|确保|保证|不再|避免/,
  sessionRulesInQuestions: /不要|不能|不许|不得|禁止|必须|务必|总是|一直|永远|记住|记得|请勿|切勿|以后都/,
  reasons: /因为|决定|所以选择|原因是|根本原因/,
};

/** The first language whose pattern matches a sentence applies; English is the default. */
export const languages: readonly Language[] = [chinese, english];

export function languageOf(sentence: string): Language {
  return languages.find(({ isIn }) => isIn.test(sentence)) ?? english;
}
