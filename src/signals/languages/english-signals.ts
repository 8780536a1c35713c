/** What is worth keeping, in English. The first row that fits names the type: the plainest words come first. */
import type { SignalRow } from "../language.js";

export const englishSignals: readonly SignalRow[] = [
  // What the user calls by its name.
  {
    type: "idea",
    pattern: /^(an? )?(idea|thought|feature idea)( for (later|the future|some ?day|v\d+))?\s*[:—–-]/i,
    despite: ["hypothetical", "once", "task"],
  },
  {
    type: "decision",
    pattern:
      /^(final )?(decision|decided|agreed|settled)\s*[:—–-]|\b(the|our|my) (final )?decision (is|was|stands)\b/i,
    despite: ["task", "state"],
    isExplicit: true,
  },
  {
    type: "pattern",
    pattern:
      /\b(when(ever)?|if|each time|every time|once) i (just |only |ever )*(say|write|type|ask|mention|mean|send|post|paste|answer|reply|respond|react|start|end|prefix|tag|comment)\b.*\b(i mean|i('m| am)|i want|it means|that means|means|you|do|run|use|just|don'?t|answer|treat|then|that'?s|it'?s|assume|go ahead)\b|\bby \S+ i (always )?mean\b/i,
    despite: ["reported", "once", "hypothetical"],
    isExplicit: true,
  },
  // How the agent is to talk and work with this person.
  {
    type: "preference",
    pattern:
      /^(from now on|going forward|in (the )?future|please|pls|and|also|so|always|never)?,?\s*(please |pls |always |never |just )*((call|address) me|refer to me as|(speak|talk|answer|reply|respond|write|explain|report|summari[sz]e)( everything| things| always| only| to me| me| back)* (in|like|as|with|without|using|brief|short|concise|terse)|(be|stay) (more |very |as |less )*(concise|brief|terse|direct|blunt|honest|verbose|formal|polite|short)|keep (your |the |all )?(answers?|responses?|repl(y|ies)|explanations?|messages|summaries) )\b/i,
    despite: ["task"],
  },
  {
    type: "preference",
    pattern:
      /\bi('d| would)? (strongly |really |much |generally |usually |always |personally |still |clearly |just |tend to |also )*(prefer|favou?r)\b(?! (option|the (first|second|other|latter|former)|that one|this one))|\bi('d| would) (much |really )?rather (you|have|see|use|get|not|read|be|write|keep|pay|wait)\b/i,
    despite: ["hypothetical"],
  },
  {
    type: "preference",
    pattern:
      /\bi (strongly |really |absolutely |generally |usually |always |personally |also |just |simply )*(like|love|enjoy|hate|dislike|despise|loathe|detest|can'?t stand|cannot stand|am (not )?a (big |huge )?fan of|am allergic to|care (a lot |deeply )?about|(don'?t|do not) (really |particularly )?(like|want|need|care for|enjoy))\b(?! (it|that|this|these|those|how|where|the (look|idea|way|change|result|new|sound)|you to (fix|add|do|change|make|run|touch|write)|to (do|see|know|touch|change|break|be|think|wait|have to)|when (it|that|the|this|tests|you)|another)\b)/i,
  },
  {
    type: "preference",
    pattern:
      /\bmy (preferred|favou?rite|preference|editor|ide|shell|terminal|time ?zone|os|operating system|name|pronouns|keyboard layout|workflow|setup|machine|laptop|native language|github (user|handle)\w*|style|default)\b.*\b(is|are|runs|has)\b|\bi('m| am) (a |an )?(\w+ )?(colou?r[- ]?blind|dyslexic|left-handed|(neo)?vim user|emacs user|beginner|new to|not (a fan|a native)|on (a )?(mac|macos|linux|windows|wsl|arch|ubuntu|nixos)|based in|in (cet|utc|gmt|est|pst))/i,
  },
  {
    type: "preference",
    pattern:
      /^(and |also |usually |normally |personally,? )?i (only |always |never |usually |mostly |generally |typically |normally |mainly |exclusively |almost always )?(use|work (in|on|with|from)|write|speak|live in|review|read|squash|rebase|commit|merge|run|test|develop|code|deploy|want (all|every|my|your|only|no|short|long|small|the worst|plain|full|tests|code|commits|comments|answers)|want you to always|only want)\b(?! (it|this|that|the same|to)\b)|\bwhen(ever)? (you |i('m| am) |reviewing|explaining|answering|naming|writing|refactoring|showing|proposing|summari[sz]ing|debugging)\b.*,\s*(i want|i like|i need|give me|tell me|show me|keep|be|don'?t)\b/i,
    despite: ["task"],
  },
  {
    type: "preference",
    pattern:
      /\bi('m| am) (an? )?(?!(bit|fan of this)\b)([\w-]+[ -]){0,4}?(dev(eloper)?|engineer|designer|user|beginner|student|team lead|tech lead|scientist|admin|architect|founder|speaker|analyst|sre|tester|freelancer|contractor|newbie|maintainer|expert|deaf|blind)\b|\b(my name('s| is)|i go by|i('m| am) called)\b|\bi (find|consider) .*\b(hard|easier|easy|difficult|annoying|ugly|confusing|unreadable|readable|helpful|useless|distracting|cleaner|clearer|nicer|noisy)\b|\bi (know|speak|understand|learn|read|think|struggle|care|insist|value|expect) (?!(it|that|this|what|how|why|about|you|so|i|we|there)\b).*\b(well|best|by heart|better|fluently|on my (phone|tablet|laptop)|with|in|every|each|all|always|before|a lot|for years|inside out|nothing about|little)\b/i,
    despite: ["state"],
  },
  {
    type: "preference",
    pattern:
      /\bi('d| would)? (always |really |also |only )*(want|like|need|expect|ask|prefer) you to\b.*\b(always|never|before|when|whenever|every|any|each|in (the )?future|by default|from now on|instead of|rather than)\b|^((less|more|fewer|no) [\w-]+( [\w-]+)?, (less|more|fewer|no|just|only) |no need to (explain|ask|summari[sz]e|thank|apologi[sz]e|repeat|tell|say|be|show|comment)|assume (that )?(i|we|you)('m|'ve)? |skip the (basics|intro\w*|preamble|explanations?|pleasantries|small ?talk|summary|summaries|fluff|disclaimers?)|spare me )|\b(your|each|every|all) (answers?|responses?|repl(y|ies)|explanations?|summaries)\b|\bi (don'?t|do not) need (an? |any |the )?(summar|explanation|introduction|comment|preamble|disclaimer|lecture|apolog|praise|reminder)\w*/i,
    despite: ["task", "once"],
  },
  // Corrections of how the agent works.
  {
    type: "feedback",
    pattern:
      /(?<!\b(make sure|ensure|sure|that|when|whenever|if|before|every time|each time|where) )\b(you|u) (keep|always|never|constantly|still|again|repeatedly) (\w+ing|forg[eo]t|ignor|mak|put|add|us|writ|do|break|skip|miss|assum|delet|remov|chang|leav|try|tell|sa[iy])\w*\b|\byou (forgot|did it|broke|ignored|missed|skipped|added|used|wrote|put|changed) .*\b(again|once more|every time|each time|as always|like last time)\b|\bi('ve| have)? (already |just )?(told|said|asked|explained|mentioned)( (you|this|that|it|to you))? .*\b(before|already|again|twice|many times|times|last time|yesterday|never|not to|always)\b|\b(as|like) i('ve| have)? (already )?(said|told you|mentioned|explained)\b|\bi('ve| have)? already (told|said|asked|explained)\b|\bhow (many times|often) (do|have|must) i\b/i,
    despite: ["reported", "question", "sarcasm", "task", "state", "spec"],
  },
  {
    type: "feedback",
    pattern:
      /^(please |and |also )*(stop (?!(it|that|this|the|here|now|for|watching|working|running)\b)\w+ing\b|don'?t (ever )?(say|tell me|apologi[sz]e|thank|repeat|summari[sz]e|explain|compliment|praise|assume|guess|invent|make up|hallucinate|ask me|over-?engineer|start (every|each|your|with)|end (every|each|your|with))(?! (this|that) (line|function|file|one))\b|quit \w+ing\b|you should(n'?t| not)? have \w+)/i,
    despite: ["reported", "task", "sarcasm"],
  },
  // Rules.
  {
    type: "directive",
    pattern:
      /\b(from now on|going forward|henceforth|from here on|from today on|for all future|in (the )?future,|as a (general )?rule|rule of thumb|house rule|rule( #?\d+)?\s*:|our (policy|convention|standard|rule) (is|here is)|it'?s (our |team )?(policy|convention))\b/i,
    despite: ["task", "reported", "sarcasm", "state"],
    isExplicit: true,
  },
  {
    type: "directive",
    pattern:
      /(?:^|[,;:—–-]\s*|\b(?:and|but|so|then|or|please|pls|also|should|must|shall|to|will|we|let'?s|have to|needs? to|are|is to be|agents?|everyone|everybody|developers?|contributors?)\s+)(?:please\s+|just\s+)?(?:always|never(?: ever)?)\s+(?!(mind|seen|saw|heard|had|have|been|was|were|is|are|works?|worked|happens?|happened|thought|knew|know|forgets?|fails?|failed|crash\w*|breaks|broke|ends?|ended|gets?|got|wanted|said|told|did|does|has|shows|returned|passes|passed|wins?|again|the|a|an|my|your|in|on|enough|really|quite|finish\w*|forgot|liked|loved|hated|understood|tried|used|gonna|going)\b)[a-z\uE000-\uF8FF]/i,
    despite: ["task", "sarcasm"],
    isExplicit: true,
  },
  {
    type: "directive",
    pattern:
      /^(please,? |and |also )?(can|could|would|will) you (please |just )?(always|never|from now on|in (the )?future|stop \w+ing)\b/i,
    despite: ["task", "question", "once"],
    isExplicit: true,
  },
  {
    type: "directive",
    pattern:
      /\b(under no circumstances|on no account|no matter what|at no point|in no case)\b|\b(do not|don'?t|dont|must not|mustn'?t|should not|shouldn'?t|never) ever\b|\. ever[.!]|\b(must|shall|should|have to|has to|need to|needs to|may|ought to) (always|never|not ever|under no)\b|\b(is|are) (strictly |absolutely |always )*(forbidden|prohibited|banned|verboten|taboo|off[- ]limits|a no-go|not allowed|not acceptable|unacceptable|not negotiable|non-negotiable|mandatory|compulsory|sacred|read-?only|frozen)\b/i,
    despite: ["task", "sarcasm"],
    isExplicit: true,
  },
  {
    type: "directive",
    pattern:
      /^((please|pls|and|also|but|so|remember|again)[,:]? )*(whenever|every time|each time|any ?time|before (you |we )?(each|every|any|push\w*|commit\w*|merg\w+|deploy\w*|releas\w+|finish\w*)|after (each|every|any)|on (each|every)|for (each|every|any|all) (new |public )?\w+|when(ever)? (you|we|adding|writing|touching|changing|creating|editing|making|naming) \w*)\b.*?,\s*(?!(it|i|there|the|this|that|he|she|they|nothing)\b)\w+|\b(before|after|on|with|for|in|to) (each|every|any|all|new) (single )?(commit|push|release|deploy(ment)?|prs?|pull requests?|merge|change|edit|migration|build|session|file|endpoint|public function|exported function|feature|bug ?fix|hotfix)s?\b(?!.*\b(fails?|failed|crash\w*|breaks|slow)\b)/i,
    despite: ["task", "once"],
  },
  {
    type: "directive",
    pattern:
      /\b(make sure|ensure|be sure|see to it|take care|remember|don'?t forget|do remember)\b.*\b(always|never|every|each|whenever|any time|all (new|our|code|commits?|tests|files)|before (you )?(commit|push|merge|deploy|releas)\w*)\b/i,
    despite: ["task"],
  },
  {
    type: "directive",
    pattern:
      /^((please|pls|and|also|but|so|again)[,:]? )*(do not|don'?t|dont|avoid|refrain from|no more|nobody|no one|none of us)\s+(should |may |ever |to )?((\w+ ){1,12}?(anywhere|any(thing|one|more)?|in (this|the|our|any) (repo|repository|codebase|code base|project|app|monorepo|workspace|company)|in (production|prod|tests|code|commits|migrations|components|controllers|logs)|without (asking|my|a|telling|approval|permission|review|tests?)|by hand|manually|on (friday|weekend)s?|directly)|(use|using|add|adding|write|writing|commit|committing|push|pushing|import|importing|mock|mocking|log|logging|print|hard-?code|hard-?coding|create|creating|put|putting|call|mix|mixing|nest|nesting|rely|depend|leave|introduce|introducing|catch|swallow|store|storing|expose|edit|editing|modify|touch|reformat|bump|upgrade|abbreviate|begin|merge|squash|rebase|skip|disable|generate|include|install|delete|drop|run|start|throw|return|suppress|check in|trust|wrap|inline|inherit|subclass|monkey-?patch|optimi[sz]e)\s+(?!(it|that|this|these|those|the|them|my|your|our|a|an|lines?|him|her|yet|now|so|too|up|there|here|anything yet|both|one|all of|out|to)\b|\S*\.\w{1,4}\b)[\w*@\uE000-\uF8FF])/i,
    despite: ["task"],
  },
  {
    type: "directive",
    pattern:
      /^((please|pls|and|also|but)[,:]? )*(no (new |more |extra )\w+|no (?!(idea|worries|problem|need|thanks|luck|change|clue|way|wonder|errors?|one|reason|rush|hurry|longer|matter|doubt|chance|tests? (fail|found|yet)|go)\b)[\w-]+( [\w-]+){0,3}? (without|unless|in|on|for|outside|please|anywhere|allowed|ever|at all|before|after)\b|no (?!\w*(worries|problems|ideas|thanks|errors|changes|tests)\b)[a-z-]+s( (or|and) [a-z]+s)*[.!]?$|only (ever )?(use|commit|push|deploy|merge|import|write|log|throw|export|allow)\s+(?!(it|that|this|the)\b))/i,
    despite: ["task"],
  },
  {
    type: "directive",
    pattern:
      /^(all|every|each|any) (?!(of (it|them|this)|users?|customers?|the same|tests? (are|is|pass|fail))\b)[\w\uE000-\uF8FF-]+( [\w/-]+){0,5} (must|mustn'?t|should|has to|have to|needs? (a|an|to|at|its|their)|shall|gets? (a|an|its|their)|goes? (in|to|through|into|via|under)|(is|are) (always|never|to be|required|written|named|kept|prefixed|in)|(starts?|ends?|begins?) with|requires?|lives? in|belongs?)\b/i,
    despite: ["task"],
  },
  {
    type: "directive",
    pattern:
      /^((please|and|also|in (this|our) (repo|repository|project|codebase|team|company|code)|here),? )*(?!(users|customers|visitors|admins|this|the|its|it'?s|his|results|pages|buttons)\b)([\w-]+ ){0,3}([\w-]+s|code|documentation|sql|css|config|state|business logic|money|html|json) ((must|mustn'?t|may|shall|should|can)( not| only| never| always| ever)? |((is|are) )?(never|always|only ever) |(do not|don'?t|does not|doesn'?t|go|goes|belongs?) (go|belong|in|into|under|to|on|through)\b|(is|are) (in|on|kept|named|written|prefixed|sorted|ordered|grouped|stored|camel|snake|kebab|integers?|singular|plural|lower|upper|capitali[sz]ed)\b|(stays?|remains?|lives?|sits?|comes?|ends?|starts?|begins?|follows?|gets?|needs?) (in|on|at|under|next|beside|with|below|out|the same|sorted|a\b|an\b|their\b|private|pure|conventional|semantic))/i,
  },
  {
    type: "directive",
    pattern:
      /^((please|pls|and|also|but|again|so)[,:]? )*(keep (?!(going|it|that|this|the (change|fix|old|current|function|file)|calm|me|an eye|in mind|trying|working|track|up)\b)[\w\uE000-\uF8FF]+|(favou?r|prefer|stick (to|with)|follow|adhere to|respect|mind|obey) (?!(it|that|this|up|him|them|the plan|the (first|second)|option|me)\b)|use \S+( \S+){0,5}?,? ((and |but )?(not|never)|instead of|rather than|over) (?!(the|that|this)\b)|(write|name|format|phrase|prefix|suffix|sign|tag|title|squash|document|comment|indent|sort|group|order|put|place|use|wrap|validate|store|throw|return|log|test|type|annotate|export|import|read|pass|pin|target|handle|quote|capitali[sz]e|default to) (?!(it|that|this|these|those|them|here|there)\b).*\b(everywhere|in all|in every|for (all|every|any|each|new|our|public|internal|dates|times|money|prices|ids|names|tests|logging|errors|styling|state)|throughout|across|in (this|our|the) (repo|repository|project|codebase|whole)|by default|wherever possible|where possible|whenever possible|as much as possible|in (tests|code|commits|migrations|logs|production|comments|docs|the (database|db|backend|frontend|ui))|(in|as|with|next to|beside|in the) (the )?(imperative|present tense|past tense|lower ?case|camelcase|snake_case|kebab-case|english|conventional|utc|iso|tests they|source|jsdoc|docstrings?)))\b/i,
  },
  {
    type: "directive",
    pattern:
      /^(and |also |our )*(commit messages?|commits|branch(es)?( names?)?|prs?( titles?)?|pull requests?|file ?names?|variable names?|tests?( files?| names?)?|comments|docs|identifiers|class(es| names)|components?|migrations?|endpoints?|error messages?|logs?|imports?|dates?|changelog( entries)?|indentation|naming|line length|language|code style|formatting|quotes|semicolons|dependencies|versions?|todos?)\s*:\s+(?!(fail|error|pass|\d+ (failed|passed)))\w/i,
    despite: ["task"],
  },
  {
    type: "directive",
    pattern:
      /\b(do not|don'?t|never|please don'?t) (touch|edit|modify|change|open|read|write to|look into|go into) (anything (in|under|inside) |the |our |files in )?(\S+\/|\S+ (folder|directory|dir|module|package|schema|tables?)|\S+\/ (folder|directory|dir))(?=[\s,.;!]|$)|\b(hands off|stay (out of|away from)|leave \S+( \S+){0,2} alone, (it|they|that))\b|\bdon'?t (you )?(ever|dare)\b/i,
    despite: ["task"],
  },
  {
    type: "directive",
    pattern:
      /^((any(thing|one|body)?|every(thing|one|body)?|whoever|whatever|wherever|nothing|nobody|no one|none of our) .*\b(must|mustn'?t|has to|have to|needs? to|should|goes|gets?|is to|may|can|stays?|ends? up|belongs?)\b)|\b(whatever happens|at all times|at all costs|at any cost|no exceptions|without exception|nowhere else|nothing else|has to go through|have to go through|must go through|goes? through|are? final|counts? as)\b/i,
    despite: ["task"],
  },
  {
    type: "directive",
    pattern:
      /\b(only|exclusively|everywhere|throughout|always|never)[.!]*$|^[\w\s\uE000-\uF8FF-]{2,40}\b(first|before)[,;] .*\b(after|afterwards|later|second|then|last)\b|^([\w-]+ ){1,5}only (in|at|on|via|through|with|from|for|by|when|if)\b(?! (this|that)\b)|^[\w-]+( [\w-]+)?, not [\w-]+( [\w-]+)?[.!]*$/i,
  },
  {
    type: "directive",
    pattern:
      /^(?!(i|it|this|that|he|she|they|there|why)\b)(?!.*\b(i|it|he|she|they|this|that|just) (always|never)\b).*\b(must|mustn'?t|must not|always|never)\b (?!(get|gets|see|saw|have|had|been|really|quite|\w+ed|the same|hits?|find|finds|happens?|works?|loads?|runs?|seem|know|knew|think|thought|mind|again|ever since|\w*[^s]s)\b)[a-z\uE000-\uF8FF]/i,
  },
  // What the user says is to be remembered.
  {
    type: "knowledge",
    pattern:
      /^((please|pls|also|and|oh|ok|so|just)[,:]? )*(remember|note|keep in mind|bear in mind|be aware|don'?t forget|fyi|for the record|for future reference|heads[- ]?up|good to know|for your info(rmation)?|important|psa|for context|context|background|memo|save this|make a note|store this|til|gotcha|caveat|warning|hint|tip)\b\s*([:,;—–-]\s*)*(that |this |of |is |for (later|next time)[:,]? )*(?!(to|i('m| am|'ll| will)|it'?s done|the (test|build)s? (is|are) (failing|broken|red))\b)\S/i,
    despite: ["state", "reported"],
    isExplicit: true,
  },
  // Facts that correct others.
  {
    type: "feedback",
    pattern:
      /^(no|nope|nah|wrong|incorrect|not quite|not true|actually|correction|careful|wait|sorry|hm+|uh|um|again)[,.!:;—–-]*\s+(no[,.]? |that'?s (wrong|not (true|right|correct))[,.;:—–-]* |actually,? |wrong \w+[.,:;—–-]+ )*(?!(it (is|was) (fine|ok)|(that|it|this)('s| is| was)? (fine|ok|okay|good|enough|all|great|right|correct|not (it|needed|necessary|what|true|right))|it (now )?(works?|seems|looks|passes)|i('m| am|'ll| will| think| guess| want| need)|we (need|want|can|could|should (just|do|try))|leave|use|do|make|let'?s|let|try|go|keep|forget|just|don'?t|wait|stop|revert|undo|put|move|take|change|please|can|could|the (other|first|second|last|previous|next) )\b).*\b(is|are|was|were|lives?|goes|go|should|must|uses?|called|named|belongs?|runs?|comes?|lie|lies|expects?|takes?|needs?|has|have|returns?|starts?|means?|listens?|'s|it'?s|that'?s)\b/i,
    despite: ["sarcasm"],
  },
  {
    type: "feedback",
    pattern:
      /^(?!(we|our|in (this|our|the))\b).*\b(is|are|it'?s|lives?|runs?|uses?|called|named|means|stands for|goes|belongs?|reads?|comes|listens|starts?|ends?|expects?|takes?|points?|should be|must be)\b[^?]*?(,| and| —| -) not (?!(sure|yet|working|a (bug|problem)|so|too|only|just|bad)\b)\S|^it'?s (called )?[\w.\uE000-\uF8FF-]+, not\b|\b(you (had|got|have|'ve got|mixed|swapped|confused|misread|misunderstood) (it|that|this|them|the \w+)( all)?( completely)? ?(wrong|up|backwards?)|(is|was) (wrong|outdated|incorrect|out of date)[,;:—–-]+ (it|the|we|they|should|correct))\b/i,
  },
  // What comes.
  {
    type: "plan",
    pattern:
      /\b(the (plan|roadmap) (is|says|for)|we('re| are)? (plan|planning|scheduled|aiming|going) to\b.*\b(in|by|next|until|after|before|once) \w+|planned for|scheduled for|(code|feature) freeze|deadline|(we|it|this|that|they) (will|have to|need to|must|should|'ll|want to) .*\bby (the end|end of|q[1-4]|monday|tuesday|wednesday|thursday|friday|january|february|march|april|may|june|july|august|september|october|november|december|next)|(next|this|the coming) (week|sprint|month|quarter|year|release|iteration|milestone),? (we|i|the|our)|(we|i|the team)('ll| will|'re| are)? .*\b(next (week|sprint|month|quarter|year|release)|in (q[1-4]|january|february|march|april|june|july|august|september|october|november|december)|after the (release|launch|freeze|holidays)))\b/i,
    despite: ["state"],
  },
  // Decisions.
  {
    type: "decision",
    pattern:
      /\b(we|i|the team|our team|management|the board|legal|product|design|security|everyone|team)(('ve)| have| has| had| both| all| just| finally| now| also| already)* (decided|agreed|chose|chosen|settled|opted|picked|committed to|standardi[sz]ed|voted|concluded|ruled out|rejected|went (with|for)|signed off|landed on)\b|\b(was|were|has been|have been|it'?s|is) (finally )?(decided|agreed)\b|\b(on purpose|deliberately|intentionally)\b.*(:|because|since|so that)/i,
    despite: ["task", "state", "once"],
  },
  {
    type: "decision",
    pattern:
      /\b((we('re| are| will|'ll)?|i('m| am|'ll| will)?|let'?s|let us|team is)( all| just| now| also| still| only)* )?(going (with|for)|go (with|for)|sticking (with|to)|stick (with|to)|staying (with|on)|stay (with|on)|mov(e|ing) (from|to|away|off)|switch(ing)? (from|to|over)|migrat(e|ing) (from|to|off|away)|standardi[sz](e|ing) on|drop(ping)?|keep(ing)?|us(e|ing)|not us(e|ing)|replac(e|ing)|adopt(ing)?|build(ing)? (on|it on)|writ(e|ing) (it|the \w+) in|choos(e|ing)|pick(ing)?|ditch(ing)?)\b.*(\b(because|since|so that|due to|given that|given|as (we|it|they|the|our|nobody|no one|there|this|i|that)|seeing that|which (means|gives|keeps|lets)|otherwise|the reason)\b|[;—–] |: )/i,
  },
  {
    type: "decision",
    pattern:
      /\bwe('re| are)? (now |finally |gradually )?(moving|switching|migrating|moved|switched|migrated|replacing|replaced|dropping|dropped|going|went|standardi[sz]ing|retiring|sunsetting|deprecating|phasing out) (?!(to (fix|need|have|do|be|add|see|try))\b)(away |off |over |from |to |with |on |support )*\S|^(going|sticking|staying) with\b|\b(is|was) (the|our) (reason|rationale) (we|for|why)|\bthat('s| is) why we (use|chose|have|keep|went|don'?t|do|picked|still)\b|\b(instead of|over|rather than|not) \S+( \S+){0,3} (because|since|so that|as (we|it))\b/i,
  },
  // What stands in the way, what was.
  {
    type: "blocker",
    pattern:
      /\b(we('re| are)?|is|are|it'?s|still|am|i'm|everything|release|work) (currently |still |completely |totally )*(blocked|stuck waiting|on hold)\b|\bblocked (by|on|until)\b|\b(we('re| are)|is|are|still) (still )?waiting (for|on)\b|(^|\b(we|it|this|that|nobody|release|deploy\w*|launch|checkout|migration)( still)? )(can'?t|cannot|can not|won'?t be able to) (be )?(ship|shipped|release|released|deploy|deployed|continue|merge|merged|start|started|proceed|go live|finish|finished|launch)\w*\b.*\b(until|before|without|unless|because)\b/i,
    despite: ["state"],
  },
  {
    type: "event",
    pattern:
      /\b(we|they|i|ops|the team|prod(uction)?|v?\d+\.\d+(\.\d+)?)( was| were| have| has|'ve)? (just |finally |also )?(released|shipped|launched|deployed|rolled (out|back)|went (live|down)|had an? (outage|incident|data loss|security)|cut|tagged|upgraded|migrated|moved|switched|lost)\b.*\b(on (mon|tues|wednes|thurs|fri|satur|sun)day|yesterday|last (week|night|month|year|friday|monday)|this (morning|week)|in (january|february|march|april|may|june|july|august|september|october|november|december|20\d\d)|\d{4}-\d\d-\d\d|v?\d+\.\d+)|^(yesterday|last (week|night|month|year|\w+day)|on (mon|tues|wednes|thurs|fri)day|this (morning|week)),? (we|they|i|ops|prod\w*) (\w+ )?(released|shipped|launched|deployed|rolled|migrated|moved|switched|upgraded|had an?|lost|removed|turned|retired|renamed)\b/i,
    despite: ["state", "once"],
  },
  {
    type: "idea",
    pattern:
      /\b(some ?day|at some point|one day|in the long (run|term)|down the (road|line)|eventually|longer term|nice[- ]to[- ]have)\b.*\b(could|might|should|would|we|be)\b|\b(could|might|would be (nice|cool|great)|should)\b.*\b(some ?day|at some point|one day|in the long (run|term)|down the (road|line)|eventually|later on)\b/i,
    despite: ["hypothetical", "once"],
  },
  // How something is done.
  {
    type: "procedure",
    pattern:
      /^(btw,? |fyi,? |note:? |and |in order |(if|when) you (want|need) )*to (deploy|release|build|run|start|test|seed|reset|regenerate|migrate|publish|debug|lint|log ?in|connect|install|restart|bump|roll ?back|set ?up|update|get|ship|cut|create|rotate|sync|clear|reproduce|generate|sign|verify|access|load|import|export|reload|compile|switch|enable|add)\b(?! (this|that|it|these)\b).*?(,|:| you| we) *(you |we |just |first |always |please |have |need |to |simply |then )*(run|use|call|execute|do|type|start|set|go|bump|open|ssh|edit|copy|source|export|tag|push|create|log|stop|kill|make|click|[\uE000-\uF8FF])/i,
    despite: ["task"],
  },
  {
    type: "procedure",
    pattern:
      /\b(go|goes|works|is done|are done|run) like (this|so)\b|\b(release|deploy(ment)?|build|set-?up|migration|rollback|onboarding|test(ing)?|review|publish(ing)?|hotfix|upgrade|backup) (process|procedure|steps?|workflow|routine|checklist|flow|order|sequence) (is|are|goes|works|here|:)|\bthe (right |correct |only |usual |official |proper )?(way|steps|order|command|trick|recipe) (we|to|you|for) .*\b(is|are|:)|\b(deploys?|releases?|builds?|backups?|migrations?|tests|the (app|site|docs|server|database|schema|client|types)) (is|are|get|gets|happens?|happen|work|works) (\w+ed |run |done |built )?(with|by|via|using|through|from)\b|\bfirst\b.*\bthen (?!(the|it|we (can|could|see)|maybe)\b).*\b(to (deploy|release|publish|start|run|build|set)|(deploy|release|publish|migrat|restart)\w*)\b/i,
  },
  // Facts.
  {
    type: "knowledge",
    pattern:
      /\b(it )?turns? out\b|\b(the )?(root )?(cause|reason|culprit)\b.*\b(is|was)\b|\bthat('s| is) (why|because|by design|intentional|on purpose|a known)\b|\bthe (trick|fix|workaround|solution|catch|gotcha) (is|was|here|for)\b|\bwhat (fixed|solved|helped|worked)\b.*\bwas\b|\b(is|are|it'?s) (a )?(known (issue|bug|problem|limitation)|known|intentional|by design|on purpose|deliberate(ly)?)\b|\bfix(ed|es)? (it|that|this|the \w+) (was|is|by)\b|\b(only )?(goes|went) away (after|when|if|once)\b/i,
    despite: ["state"],
  },
  {
    type: "knowledge",
    pattern:
      /\b(only (works?|runs?|supports?|accepts?|builds?|allows?|compiles?|understands?|has|have)|(works?|runs?|builds?|compiles?) only|(doesn'?t|does not|can'?t|cannot) (support|handle|run on|work (on|with|under)|accept|go above|exceed))\b|\b(owns?|maintains?|is responsible for|is in charge of|are responsible for|takes care of|looks after|knows (most|everything|all)) (the|our|all|every)\b|\bask \w+ (before|about|first|for)\b|\b(lives?|is located|are located|is hosted|is deployed|are deployed|are stored|is stored|is kept|are kept|is defined|are defined|can be found|sits|resides?|is generated|are generated|is mounted|is documented|are documented|gets generated|is managed|are managed|is configured|are configured|is owned|are owned|is maintained|is run|is licensed) (in|at|on|under|by|from|with|via|through|behind|as|inside)\b|\b(listens|runs|serves) (on|at|under|behind)\b|\b(is|are) (called|named|spelled|pronounced|short for)\b|^\S+( \S+){0,4} means? (?!(that|it|the|we|you|i)\b)|\b(stands for|is short for|is an? (abbreviation|alias) (of|for))\b/i,
  },
  {
    type: "knowledge",
    pattern:
      /\bwe( also| still| only| just| currently| all| mostly|'re| are)* (use|using|run|running|deploy|host|store|ship|support|target|write|release|keep|name|version|build|generate|pin|vendor|cache|track|manage|follow|rely|depend|work|authenticate|charge|bill|serve|sell|log|test|(have|got) (a|an|two|three|four|five|\d+|our own|no|strict) (?!(bug|problem|issue|error|look|failing|regression|meeting)\b)|are (a|an|on|using|in)|(don'?t|do not) (use|support|ship|allow|deploy|merge|store|have a|mock|write|do|accept|run|log|commit|want))\b(?! (it|that|this|for now)\b)/i,
  },
  {
    type: "knowledge",
    pattern:
      /\bour ([\w/-]+ ){1,5}(is|are|runs?|lives?|uses?|times? out|needs?|requires?|has|have|expects?|sits|goes|comes|deploys?|supports?|can'?t|doesn'?t|returns?|works?|speaks?|sends?|caps?|limits?|allows?|only|must|costs?|belongs?)\b|^(\w+:\s+)?(the|an?) (\w+ )?(staging|production|prod|dev|test|qa|ci|legacy|internal|main|primary|vendor'?s?|upstream|customers?|clients?|company|partner'?s?|old|new|real|default|demo|payment|auth|mobile) ?([\w/-]+ ){0,4}(is|are|lives?|runs?|uses?|sits|needs?|requires?|expects?|listens|only|has|have|accepts?|times out|must|goes|comes|returns?|speaks?|sends?|costs?)\b/i,
  },
  {
    type: "knowledge",
    pattern:
      /^(and |also |btw,? |by the way,? )?(the|our|its|my) ([\w/-]+ ){0,3}(port|timeout|limit|deadline|urls?|host|hostname|address|endpoint|version|branch|region|bucket|tables?|database|db|server|cluster|schema|env(ironment)? var(iable)?|flag|quota|budget|licen[cs]e|customer|client|vendor|owner|account|tenant|channel|repo|repository|registry|domain|prefix|convention|api|backend|frontend|mono ?repo|package manager|stack|language|encoding|currency|time ?zone|retention|sla)( \w+)? (is|are|=|starts?|ends?|expires?|lives?|changed to|was moved to)\b(?! (it|this|that|too|very|so|not (set|found|there|working)|being|unreachable|full|unknown|invalid)\b)/i,
  },
  // A plain statement about how things are, with nothing against it.
  {
    type: "knowledge",
    pattern:
      /^(?!(it|this|that|these|those|there|he|she|they|i|you|we|what|then|now|so|if|when|my|maybe|nothing|something|everything|here|let|lets|one|another|someone|somebody|not|still|same|both|sounds|looks|seems|works|why|how)\b)(the |our |an? |all |every |each |most |some )?([\w\uE000-\uF8FF/.&'-]+ ){1,6}?(needs?|uses?|runs?|lives?|consumes?|expects?|requires?|depends?|relies|supports?|stores?|shares?|starts?|exports?|reads?|writes?|talks?|sends?|contains?|holds?|covers?|handles?|owns?|belongs?|comes? (from|with|in)|goes|go (to|through|into|via|in)|blocks?|limits?|allows?|accepts?|rejects?|ships?|deploys?|follows?|inherits?|works? (with|on|in|like|via|by|through|only)|takes?|costs?|charges?|speaks?|serves?|hosts?|manages?|maintains?|reviews?|approves?|exists? (for|because|in)|stays?|sits?|wins?|implements?|extends?|wraps?|prox(y|ies)|mirrors?|syncs?|caches?|polls?|validates?|generates?|targets?|pins?|calls?|don'?t have|doesn'?t have|has (a|an|no|two|three|its|only|\d+)|have (a|an|no|two|three|their|only|\d+)|can only|cannot|can'?t|may only)\b/i,
  },
  {
    type: "knowledge",
    pattern:
      /^(?!(i|you|he|she|they|there|then|now|if|when|my|maybe|nothing|something|let|one|another|someone|not|same|both|sounds|looks|seems|works|why|how|(this|that) (is|was|'s) (fine|ok|good|great|it|all|enough|not))\b)[^;:]{4,}?(\b(is|are|was|were)\b|'s ).*(because|since|\bso (don'?t|no|never|we|you|they|that|please)|that'?s why|that is why|which is why|\bdon'?t\b|\bnever\b|\bonly\b|\bnot the\b|\buntil\b|on purpose|by design|for (legal|historical)|\breserved\b|\bdeprecated\b|\blegacy\b|\bdead\b|left ?overs?|\bgenerated\b|confidential|shared (with|by)|used (by|for|in))/i,
  },
];
