import type { Language } from "../language.js";

export const english: Language = {
  name: "English",
  isIn: /[a-z]/i,
  doubts: [
    {
      doubt: "question",
      patterns: [
        /(?<!,? (ok|okay|k|alright|please|pls|deal|got it|understood|clear|thanks|yes|yeah|agreed))[?？]["')\]\s]*$/i,
        /^((and|but|so|ok|hey|hm+|also|or),? )*(why|what(?! (fixed|solved|helped|worked))|which|who|whose|where|how(?! (we|to|i) [^:?]{2,60}: )|when (do|does|did|is|are|will|should|can|was)|do (you|we|i|they|the|these|those|our|any)|does|did|is (it|this|that|there|the|our|my|any)|are (you|we|they|there|the|these|our)|can (i|we|it|the)|could (i|we|it|the)|should (i|we|it|the)|would|will (it|this|that|the)|has (it|the|anyone)|have (you|we|they)|am i|was (it|the|this)|were|any (idea|chance)|isn'?t|aren'?t|don'?t (you|we) (have|need|think|already)|shouldn'?t)\b/i,
        /\b(but|so|and) (then )?(why|how) (is|does|do|are|did|was|would|can|come)\b/i,
      ],
    },
    {
      doubt: "reported",
      patterns: [
        /(?<!\b(i|i already|i just|i've|i have|i also|when i|if i|as i|like i|you|you've|you just) )\b(says|said|states|stated|claims (that|to|we|you|it)|claimed|complains|complained|mentions|mentioned|wrote|asked (me|us|whether|if)|told (me|us|him|her)|tells (me|us|you)|suggests|suggested|recommends|recommended|insists|insisted|argues|argued|warns|warned|demands|advises|advised|swears)\b/i,
        /\b(they|people|docs|some|others|folks|everyone|guys|devs) (say|claim|suggest|recommend|argue|write|think|swear|insist)\b/i,
        /\b(according to|quote|quoting|apparently|supposedly|allegedly|in the words of|the [\w']+ style ?guide|i (once )?(read|heard|saw) (that|somewhere|on|in|people)|the ([\w'-]+ )?(docs|documentation|readme|guide|article|manual|book|tutorial|course|video|thread|blog( post)?|spec|linter|compiler|error|message|warning|comment|wiki|author|speaker)( [\w'.]+){0,4}? (say|mention|want|read|tell|recommend|suggest|claim|insist|demand|ask|state|note|warn|advise|specify|explain)s?|(wants?|wanted|asks|asked) (me|us) to|(his|her|their) (own )?(rule|advice|motto|opinion|view|policy|style|guide(line)?|convention|standard|docs|documentation|approach|recommendation)s?)\b/i,
      ],
    },
    {
      doubt: "hypothetical",
      patterns: [
        /\b(what if|suppose|supposing|imagine|hypothetically|let'?s say|say we|pretend|in theory|theoretically|(?<!\b(keep|keeps|you'?re|stop|always|are|without|avoid) )assuming|i wonder|wondering|maybe|perhaps|not sure|unsure|i (think|guess|feel|suspect) (we|you|it|maybe|that we)|should we|shall we|could have|would have|would be(?! (overkill|too|a (waste|mess|nightmare|pain)|wrong|unnecessary|nonsense|silly))|could be|might be|might want|i('m| am) (thinking|considering|tempted|leaning)|thinking (about|of)|considering|(if|in case) (we|i|you|it|they|there|someone|somebody|the|all|every\w*)\b.*\b(would|could|'d|might|wouldn'?t|couldn'?t)|were to|one (could|might) (say|argue|think)|part of me|(i'm |am )?torn\b|on the fence|undecided|(let me|i('m| am)( just)?|just) think(ing)? (out loud|aloud|about)?|on (the )?one hand|thinking (out loud|aloud))\b/i,
        /^if (we|i|you) (always|never)\b/i,
      ],
    },
    {
      doubt: "sarcasm",
      patterns: [
        /(^|\s)\/s\b/i,
        /\b(yeah,? (right|sure)|oh,? (great|sure|wonderful|lovely|perfect|joy|nice|good|yes|fantastic|brilliant|of course)|(wow|gee|well done|fantastic|brilliant|amazing|bravo|lovely|marvell?ous|congrats|congratulations|genius|charming|splendid|superb|terrific|awesome|excellent)[,.!]+ (thanks|job|work|another|just|now|you|so|delete|let'?s|because|it|why|the|and|that|of course|exactly|as)|thanks (a lot )?for nothing|(i )?(just |really |simply |absolutely )*(love|adore|enjoy) (it when|how|when|that you|the way)|just what (i|we) (always )?(needed|wanted)|exactly what (i|we) (always )?(needed|wanted)|because (that|this|it|rewriting|\w+ing \w+) (always |never )*(works?|worked|goes|went|ends?|helps?|fails?) |what could (possibly )?go wrong|so helpful|great idea|because why not|why not just|lol|lmao|rofl|slow clap|as if|who needs|surely|nothing says|my favou?rite (part|thing|hobby)|let'?s just (delete|rewrite|disable|ignore|drop|hard-?code)|good luck with|ah,? (yes|sure|of course|great)|(yes|of course|naturally|obviously),? .*\b(never|always) (\w+s|fail|work|happen|break)|how (nice|lovely|wonderful|convenient))\b/i,
        /🙄/i,
        /🙃/i,
        /^(sure|right|yes|of course|obviously|clearly|yeah|ok(ay)?),? (thing, )?(because|let'?s (just|all|not|never|always|simply)|always|never|why (not|bother)|everyone|everybody|nobody)\b.*([,;.—–-] ?(that|it|this|nothing|what|works?|worked|will|never|always|i'?m sure|nobody|who)\b|!+$)/i,
        /^(sure|right|yes|yeah|of course|obviously|clearly),? (because|let'?s (just|all|not|never|simply)|why (not|bother))\b/i,
        /\b(nothing (bad|terrible|wrong) (has|could|can|will|ever)|never (hurt|harmed|killed) anyone|works? (great|wonders|so well|perfectly) (for|every)|because (who|why) |always (a|the) (great|good|best|winning) (idea|plan|strategy)|(just |exactly )?what (i|we) always (wanted|needed)|(permission|allowed|approval) to (breathe|think|exist|sneeze)|every(one|body)'?s? (favou?rite|dream)|living the dream|just (love|adore|enjoy) \w+ing|(totally|completely|perfectly) normal (that|for|to)|can'?t get enough of|what a (surprise|shock|joy|treat|delight|time to be alive)|(spend|spent|spending|there goes|ruin\w*) (my|another|the whole|half my) (sunday|saturday|weekend|evening|night|holiday|friday|monday|afternoon|day|life)|(is|are) for (cowards|losers|wimps|the weak|quitters|amateurs|babies)|(we have|that'?s what) (users|customers) (for that|are for)|patent it|definitely (ship|deploy|push|merge|delete) it|another (rule|meeting|framework|process|form to fill)|(truly|simply|absolutely) (inspired|brilliant|genius|a masterpiece)|a (real |true )?(masterpiece|stroke of genius)|no(body|one) (ever )?(makes?|made) mistakes)\b/i,
        /\.\.\. ?not\b/i,
        /(^|\s)([:;=]-?[DPp]|[xX]D+)(?=\s|$)|[😂🤣😅🤡]/u,
      ],
    },
    {
      doubt: "once",
      patterns: [
        /\b((?<!\b(can'?t|cannot|haven'?t|hasn'?t|isn'?t|aren'?t|(don'?t|doesn'?t) have)\b.*)yet|for now|right now|just now|at the moment|this time|this once|just once|for once|temporarily|for the time being|in the meantime|meanwhile|tonight|today|tomorrow|in a (minute|sec|second|moment|bit)|for a (minute|sec|second|moment|bit|while)|until (i|we|you|they) |till i|before (you|we|i) (continue|go on|proceed|start|change|touch|do)|(in|for|to|on|of|with|from|during) (this|that|the current|your (last|latest|previous)) (new )?(pr|pull request|commit|branch|task|change|file|function|method|class|component|test|module|line|one|case|ticket|issue|session|refactor(ing)?|script|patch|diff|section|page|step|feature|example|query|endpoint|screen|dialog|form|prototype|experiment|poc|spike|demo|run)|over there|in there|again please|please again|try again|go ahead|that (file|test|function|line|change|commit|one|part|bit|branch|thing|method|class|variable|button|error)|(these|those) (files|tests|changes|lines|functions|errors|warnings|commits|methods|classes|two|three|four|few)|throw-?away|(quick|dirty) (hack|fix|test|script)|(the|that|this) (first|second|third|last|other|next|previous|latter|former|same|failing|missing|new|broken) (one|option|file|test|commit|change|approach|version|line|function|bug|error|column|button|field|endpoint|page)|lines? \d+|(once|after|when) (this|that|it|the (build|test|migration)) (is|has|was|'s) (done|finished|merged|over|green|through))\b/i,
        /^(?!((and|but|so|also) )?(we|our|you|nobody|no one|everyone|everybody|all|every|(please )?(stop|quit) \w+ing|(the|an?) [\w-]+( [\w-]+)? (is|are|has|runs|lives|must|never|always))\b).*\b(there|here|above|below)[.!]?$/i,
        /^((please|pls|just|and|ok|so|then),? )*\w+ (a|an|the|this|that|one|another|some) .*\bhere\b/i,
        /, (just|only) (explain|look|tell|show|answer|describe|list|read|check|think)\b/i,
        /^(now|first|next|ok(ay)?,? (now|so)|then),? (?!(we|our|the|week|sprint|month|quarter|year|release|iteration)\b)/i,
      ],
    },
    {
      doubt: "task",
      patterns: [
        /^((please|pls|and|also|ok(ay)?|so|now|but),? )*(make sure|ensure|be sure)( that)? (the|this|it|your|my)\b/i,
        /^((please|pls|and|also|ok(ay)?|hey|so|now),? )*(can|could|would|will) you\b/i,
        /^((please|pls|and|also|ok(ay)?|hey|so|now|but),? )*(remember|don'?t forget|be sure|make sure) to\b(?! (always|never)\b)/i,
        /^((please|pls|and|also|then|now|ok(ay)?|so|hey|you can|go ahead and|let'?s|just|next|first|finally)[,:]? )*(add|fix|write|implement|create|make|refactor|rename|update|remove|delete|move|change|show|print|run|rerun|re-run|try|check|look|find|explain|tell|give|open|build|investigate|debug|review|summari[sz]e|help|list|search|generate|set|install|convert|replace|extract|split|merge|commit|push|revert|undo|deploy|release|bump|upgrade|document|describe|compare|translate|port|migrate|optimi[sz]e|clean|continue|finish|start|stop|restart|read|analy[sz]e|draft|design|propose|plan|figure|render|display|return|sort|handle|wire|hook|connect|test|verify|validate|measure|profile|benchmark|drop|skip|ignore|wait|hold(?! on,)|leave|reformat|put|paste|inline|adjust|tweak|polish|apply|switch|toggle|swap|pick|choose|select|scan|parse|fetch|download|upload|send|sort out|look|walk|take)\b(?! (notes?|care|into account)| [\w-]+s (must|should|shall|have to|need to|go|are|always|never|belong|follow|use|start|live|need)\b)/i,
        /\b(i|we) (just )?(need|want|would like|'d like)( (you|us|someone))? to\b/i,
        /^(i|we)('d| would)? (need|want|like) (a|an|some|two|three) /i,
        /\b(needs|has) to (be )?(fixed|added|removed|changed|updated|renamed|refactored|done)\b/i,
      ],
    },
    {
      doubt: "state",
      patterns: [
        /\b(broken|failing|fails|failed|red|crash(es|ed|ing)?|(is|are|was|went|keeps?|goes|been) (down|slow|stuck|off(?![- ]limits)|ready|done|fixed|green|empty|missing|gone|wrong|weird|back up|undefined|null|running|finished|full|flaky|late|dead)|too (big|slow|long|large|many|small)|not working|doesn'?t (work|compile|build|start|load|render|show)|don'?t (work|compile|load)|won'?t (start|compile|load|build)|(there('s| is)|got|gets?|getting|gives?( me)?|throws?|shows?|see|seeing|with|is|has|have|hit) (a|the|an|another|some|this|still) (\w+ )?(bug|error|exception|stack ?trace|typo|regression|crash|500|404)|when(ever)? i (click|open|run|press|start|try|type|save|load|call|do|use|scroll|submit|post|log|hover|resize|reload|build)|(returns?|gives?|shows?|prints?|renders?|responds with|outputs?) (me )?(a |an )?(\d{3}|null|undefined|nan|nothing|empty|wrong|garbage|error)|instead of (the expected|\d|null|undefined|an? )|on my (machine|iphone|phone|laptop|mac|side|screen)|fail[.!]*$|(expects?|expected) .*\b(returns?|returned|got|gets|gave|received)|throws|hangs|flickers|(always|never|keeps?|sometimes|often|randomly) (fail|break|crash|hang|time out|die|disconnect)(s|ing)?|doesn'?t (pass|appear|respond|update|render|open|fire|trigger|save|scroll|connect)|overlaps|looks? (wrong|off|weird|bad|ugly|good|great|fine|ok))\b/i,
      ],
    },
    {
      doubt: "spec",
      patterns: [
        /^(it|this|that|they|he|she|one of them) (should|must|shall|has to|needs? to|have to|can|may)\b/i,
        /\b(the|an?|this|that|my|(?<!^)new) ([\w-]+ ){0,2}(drop-?down|button|page|modal|dialog|popup|form|menu|header|footer|side ?bar|list|icon|field|input|label|title|link|tooltip|spinner|banner|card|chart|screen|view|widget|checkbox|image|logo|function|method|script|parser|component|game|player|animation|cursor|table|column|row|user|visitor|customer|tab|toggle|slider|map|graph|report|export|email|notification|toast|regex|query|command)s?\b.*\b(should|must|shall|has to|needs? to|always|never|only)\b/i,
        /\b(all|every|each|any|both|only) ((of )?the )?([\w-]+ ){0,2}(drop-?down|button|modal|dialog|popup|menu|tooltip|spinner|banner|card|checkbox|row|cell|tile|item|toggle|slider|avatar|thumbnail|visitor|player|admin|guest)s? (should|must|may|can) (be|have|show|see|open|display|look|get|appear|contain|edit)\b/i,
        /^(users?|admins?|visitors?|customers?|guests?|members?|players?) (can|should|must|may|cannot|can'?t) /i,
        /\bso that (it|the|this)\b.*\b(always|never)\b/i,
        /^((please|pls|and|also|now|then|so),? )*(create|add|write|implement|build|make|generate|fix|return|insert|introduce|refactor|extend|change|update|set up|draw|render|put) .*\b(and|but|so|which|that) (it |they )?(is |are |should |must |can )?(always|never)\b/i,
        /\bif (there('s| is| are)|it|one|any|present|available|set|given)\b.*\b(otherwise|else)\b/i,
        /\b(that|which|who) (always|never)\b/i,
        /\b(always|never) (show|display|render|hide|open|close|scroll|focus|highlight|animate|enable|disable|redirect|select|expand|collapse|play|blink|appear|disappear) (?!(me|us)\b)/i,
      ],
    },
    {
      doubt: "denied",
      patterns: [
        /\b(no need|((don'?t|doesn'?t|do not|does not|didn'?t) (always |really |necessarily )?(have|need)|needn'?t|(not|isn'?t|aren'?t) (\w+ )?(necessary|required|needed|obliged|supposed))( for you)?) to (always|never|every)\b/i,
        /\b((don'?t|doesn'?t|do not|does not) always (have|need) to|(there('s| is)|we have) no (\w+ )?(rule|convention|policy|preference|requirement|need)|(don'?t|do not) (really )?have (an?|any) ([\w-]+ )?(rule|convention|policy|preference|requirement)|i (don'?t|do not) need you to (always|never|every)|i (don'?t|do not) (really |particularly )?(mind|care)\b(?! (about|for))|(no|don'?t have an?) (strong |particular |real )?(preference|opinion)|(either|both|whatever) (is|are|works?) fine|up to you)\b/i,
      ],
    },
    {
      doubt: "chat",
      patterns: [
        /^(thanks|thank you|thx|ty|cool|great|nice|perfect|lgtm|never ?mind|nvm|hello|good (morning|job|work|evening)|lol|got it|sounds good|makes sense|done|awesome|wow|interesting|hilarious)\b[^:]{0,40}[.!]*$/i,
        /^(ok|okay|sorry|hm+|hi|hey|yes|yep|yeah|sure|right)\b(?!.*(\b(never|always|must|prefer|don'?t|not \S*[\d_/.-]|called|named)\b|\d{2,}|--|[_/\uE000-\uF8FF]|,? not? \w+[.!]*$))[^:]{0,40}[.!]*$/i,
        /\b(about to|brb|afk|in a hurry|right back|tired|lunch|coffee|holiday|vacation|went well|been (staring|debugging|fighting|trying)|annoying|weird|strange|sigh|ugh|damn|phew|my bad)\b/i,
        /\bi (always|never|often|keep) (get|forget|forgot|mix|confuse|wonder|get (confused|lost)|thought|heard|saw|see|said|know|knew|understood|understand|remember)\b/i,
        /\b(i've|i have|we've|we have) (never|always)\b/i,
        /\bprefer not to (think|know|talk|say|look|imagine|comment)\b/i,
      ],
    },
  ],
  bareCorrection:
    /^((hm+|uh|um|er+|oh|ah|well|sorry|argh?|ugh|no|nope|wrong|incorrect|stop|wait|not quite|nah)[,.! ]*)*(((that|this|it|those|these)('s| is| was| are) )?(wrong|incorrect|a (misunderstanding|mistake)|(the |an )?(wrong|old|outdated|stale|deprecated|dead) \w+( \w+)?)|((that|this|it|those|these)('s| is| was| are) not|(that|this|it|those|these) (isn'?t|wasn'?t|aren'?t)|not) (right|correct|true|it|(the )?(right|correct|actual|real|current|proper) \w+( \w+)?|(how|the way) (we|i|it|things)\b[^.]*|what (i|we) (asked|meant|said|wanted|agreed|do)( for| on)?)|(that|this|your) [\w-]+ (is|are|was) (off|wrong|incorrect|outdated|not (right|correct))|you misunderstood( me)?|you('ve| have)? (got|had|mixed|swapped|confused) (that|this|it|them|those|the \w+)( all| completely)? (wrong|up|backwards?|mixed up|confused)|no|nope|i (meant|said) (something( else)?|it differently))[.!]*$/i,
  states:
    /\b(is|are|was|lives?|goes|must|should|uses?|called|named|belongs?|runs?|comes?|expects?|takes?|needs?|has|have|returns?|starts?|means?|listens?|lie|lies|we|our|it'?s)\b/i,
  continues:
    /^(because|since|the reason|reason:|otherwise|that way|this way|so that|it'?s because|that'?s because|that is because|we (lost|got burned|had|learned)|they (can'?t|cannot|don'?t|need)|it (would|keeps|makes|breaks|needs|has no)|the \w+( \w+)? (can'?t|cannot|don'?t|doesn'?t|already))\b/i,
  reasonClause:
    /[,;]? (because|since|given that|seeing that|considering( that)?|due to|as (it|they|we|our|the|nobody|that)|owing to|thanks to|so that)\b/i,
  musing:
    /\b(think(ing)? (out loud|aloud)|(just|only) (thinking|musing|a thought|an idea|wondering|speculating|brainstorming)|brainstorming|spitballing|food for thought|let me think|pros and cons|on (the )?one hand|devil'?s advocate|a thought experiment)\b/i,
  introducesOthers:
    /\b(output|log(s|file)?|says?|said|docs?|documentation|readme|error|message|trace|from|wrote|writes|e-?mail|slack|ticket|issue|comment|review(er)?|got (this|back)|this is what|pasted?|clipboard|response|answer|article|page|snippet|result|report|prints?|printed|returns?|returned|quote|code|file|diff|told (me|us)|tweet|post|transcript|contents?|following|found|saw|stumbled|copied|read|spec|customer|requirements?|description|prompt|instructions?|translate|summari[sz]e|rephrase|proofread)\b[^.!?]*:\s*$/i,
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
  sessionRules: [
    {
      kind: "correction",
      pattern: /^(no|nope|nah|wait)\s*([,.!:;–—-]|$)|^(stop|undo|revert)\b|\b(wrong|incorrect|actually)\b/i,
      alsoInQuestions: false,
    },
    {
      kind: "correction",
      pattern:
        /\b(that'?s not|not what i|i (said|meant|told you)|you (forgot|misunderstood|broke)|shouldn'?t have|instead)\b/i,
      alsoInQuestions: false,
    },
    {
      kind: "rule",
      pattern:
        /\b(never|always|must|mustn'?t|don'?t|do not|no longer|make sure|ensure|remember|from now on|keep in mind|under no circumstances|avoid)\b/i,
      alsoInQuestions: true,
    },
    {
      kind: "rule",
      pattern:
        /\b(only|prefer|should|shouldn'?t|because|rather than|has to|have to|required|forbidden|not allowed)\b|\buse\s+\S+(\s+\S+){0,3}?,?\s+not\b|^no\s+\w/i,
      alsoInQuestions: false,
    },
  ],
  reasons: /\b(because|so that|decided|decision|chose|the reason|root cause|turns out)\b/i,
};
