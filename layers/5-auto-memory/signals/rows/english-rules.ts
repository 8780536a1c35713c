/** English patterns for what the agent must always or never do. */
import type { SignalRow } from "./row.js";

export const englishRules: readonly SignalRow[] = [
  // Rules.
  {
    type: "directive",
    patterns: [
      /^((our|my|the|a|one|another|house|team|project|hard|golden|general|standing|important) )*(rules?|convention|policy|guideline|standard)\b( (for|in|of|on|about|here|when|to|all|the|this|our|my|every|\w+ (repo|project|team|codebase)|repo|project|team|codebase|\w+)){0,5}\s*[:—–]\s*\S/i,
      /\b(we|they|i) have (a |an |this |one |strict |the )+([\w-]+ ){0,3}(policy|rule|convention|standard|guideline)\b(?! (for that|about that|file|engine|set))/i,
      /^(for|in|with|on) (new|all|any|each|every|our) .{3,40}? (use|write|prefer|add|avoid|don'?t|never|always|stick|follow|keep|put) \S/i,
      /^(please )?(when(ever)?|before|after) \w+ing (an?|any|every|each|new) [\w-]+ (?!(it|i|there|the|this|that|he|she|they|we|you|nothing|an?|is|are)\b)[a-z]+ \w/i,
      /\byou (should|must|have to|need to|ought to) (always |never |not |first )*\w+ .*\b(before|when(ever)?|after) (\w+ing|you)\b/i,
      /\byou (should|must|have to|need to|ought to) (always |first )*(ask|check|confirm|warn)( me)? before\b/i,
      /\bbefore (handing|submitting|committing|pushing|merging|opening|finishing|deploying|releasing|publishing|delivering|giving|sending|calling it)\b/i,
      /\b(whenever|every time|each time|any ?time) (you|we|someone|anyone) .*\b(you|we|they) (must|should|have to|need to|ought to)\b/i,
      /\bi (don'?t|do not|never) (ever )?want (any|to see (any )?|you to )(?!(it|that|this|touch|change|go|look)\b).*\b(in (committed|production|our|the|this|my|test) (code|repo|codebase|project|tests?)|anywhere|ever|without|unless|before|in (commits|code|tests|here))\b/i,
      /^(ask|check with|confirm|warn|tell|consult|ping)( me| with me| us| first)* (first )?(before|whenever|when|every time|each time|if you)\b/i,
    ],
    despite: ["task", "once"],
  },
  {
    type: "directive",
    patterns: [
      /^(if|when|once|as soon as) (you|we|someone|anyone|somebody|anything|something) (ever |really |also )*(add|change|touch|create|edit|remove|rename|modify|write|need|want|introduce|delete|update|upgrade|bump|move|publish|release|deploy|merge|commit|push|open|name|use|call|import|extend|copy|are (not sure|unsure|in doubt|stuck)|get stuck|don'?t know|can'?t|must|have to)\b.*,\s*(?!(it|i|there|the|this|that|he|she|they|nothing|would|could|does|do you|is|are|what|how|why|let me|tell me|then (it|the|i))\b)\w/i,
      /^(if|when(ever)?) (an?|any) (?!(user|visitor|customer|client|person|player|admin|request|button|page|dialog|form)\b)[\w-]+( [\w/-]+){1,8}, (?!(it|i|there|the|this|that|he|she|they|we|you|our|nothing|would|could|does|do you|is|are|was|will|what|how|why|who|let me|should|an?|show|return|render|display|throw)\b)[a-z]+ \w/i,
    ],
    despite: ["task", "state"],
  },
  {
    type: "directive",
    patterns: [
      /\b(from now on|going forward|henceforth|from here on|from today on|for all future|in (the )?future,|as a (general )?rule|rule of thumb|house rule|rule( #?\d+)?\s*:|our (policy|convention|standard|rule) (is|here is)|it'?s (our |team )?(policy|convention))\b/i,
    ],
    despite: ["task", "reported", "state"],
    isExplicit: true,
  },
  {
    type: "directive",
    patterns: [
      /(?:^|[,;:—–-]\s*|\b(?:and|but|so|then|or|please|pls|also|should|must|shall|to|will|we|let'?s|have to|needs? to|are|is to be|agents?|everyone|everybody|developers?|contributors?)\s+)(?:please\s+|just\s+)?(?<!(?:no need|n'?t (?:have|need)|not (?:have|need|necessary|required)|unnecessary|needn'?t) to )(?:always|never(?:,? ever,?)?)(?:, (?:and )?(?:i (?:really )?mean|under|not|really|please|ever|in)[^,]{0,30},)?\s+(?!(mind|seen|saw|heard|had|have|been|was|were|is|are|works?|worked|happens?|happened|thought|knew|know|forgets?|fails?|failed|crash\w*|breaks|broke|ends?|ended|gets?|got|wanted|said|told|did|does|has|shows|returned|passes|passed|wins?|again|the|a|an|my|your|in|on|enough|really|quite|finish\w*|forgot|liked|loved|hated|understood|tried|used|gonna|going)\b)[a-z\uE000-\uF8FF]/i,
    ],
    despite: ["task"],
    isExplicit: true,
  },
  {
    type: "directive",
    patterns: [
      /^(please,? |and |also |ok,? )?(can|could|would|will) (you|u) .*\b(from now on|going forward|in (the )?future|from here on|next time|by default|every single time)\b/i,
      /^(please,? |and |also )?(can|could|would|will) you (please |just )?(always|never|from now on|in (the )?future|stop \w+ing)\b(?! (see|read|know|remember|find|access|tell|hear|get|be sure|trust|reach)\b)(?!.*\bor\b.*\?)/i,
    ],
    despite: ["task", "question", "once"],
    isExplicit: true,
  },
  {
    type: "directive",
    patterns: [
      /\b(under no circumstances|on no account|no matter what|whatever you do|at no point|in no case)\b/i,
      /\b(do not|don'?t|dont|must not|mustn'?t|should not|shouldn'?t|never) ever\b/i,
      /\. ever[.!]/i,
      /\b(must|shall|should|have to|has to|need to|needs to|may|ought to) (always|never|not ever|under no)\b/i,
      /(\b(is|are)|'s|'re) (strictly |absolutely |always )*(forbidden|prohibited|banned|verboten|taboo|off[- ]limits|a no-go|not allowed|not acceptable|unacceptable|not negotiable|non-negotiable|mandatory|compulsory|sacred|read-?only|frozen)\b/i,
    ],
    despite: ["task"],
    isExplicit: true,
  },
  {
    type: "directive",
    patterns: [
      /^((please|pls|and|also|but|so|remember|again)[,:]? )*(whenever|every time|each time|any ?time|before (you |we )?(each|every|any|push\w*|commit\w*|merg\w+|deploy\w*|releas\w+|finish\w*)|after (each|every|any)|on (each|every)|for (each|every|any|all) (new |public )?\w+|when(ever)? (you|we|adding|writing|touching|changing|creating|editing|making|naming) \w*)\b.*?,\s*(?!(it|i|there|the|this|that|he|she|they|nothing)\b)\w+/i,
      /\b(before|after|on|with|for|in|to) (each|every|any|all|new) (single )?(commit|push|release|deploy(ment)?|prs?|pull requests?|merge|change|edit|migration|build|session|file|endpoint|public function|exported function|feature|bug ?fix|hotfix)s?\b(?!.*\b(fails?|failed|crash\w*|breaks|slow)\b)/i,
    ],
    despite: ["task", "once"],
  },
  {
    type: "directive",
    patterns: [
      /\b(make sure|ensure|be sure|see to it|take care|remember|don'?t forget|do remember)\b.*\b(always|never|every|each|whenever|any time|all (new|our|code|commits?|tests|files)|before (you )?(commit|push|merge|deploy|releas)\w*)\b/i,
    ],
    despite: ["task"],
  },
  {
    type: "directive",
    patterns: [
      /^((please|pls|and|also|but|so|again)[,:]? )*(do not|don'?t|dont|avoid|refrain from|no more|nobody|no one|none of us)\s+(should |may |ever |to )?((\S+ ){1,12}?(anywhere|any(thing|one|more)?|in (this|the|our|any) (repo|repository|codebase|code base|project|app|monorepo|workspace|company)|in (production|prod|tests|code|commits|migrations|components|controllers|logs)|without (asking|my|a|telling|approval|permission|review|tests?)|by hand|manually|on (friday|weekend)s?|directly)|(use|using|add|adding|write|writing|commit|committing|push|pushing|import|importing|mock|mocking|log|logging|print|hard-?code|hard-?coding|create|creating|put|putting|call|mix|mixing|nest|nesting|rely|depend|leave|introduce|introducing|catch|swallow|store|storing|expose|edit|editing|modify|touch|reformat|bump|upgrade|abbreviate|begin|merge|squash|rebase|skip|disable|generate|include|install|delete|drop|run|start|throw|return|suppress|check in|trust|wrap|inline|inherit|subclass|monkey-?patch|optimi[sz]e)\s+(?!(it|that|this|these|those|the|them|my|your|our|a|an|lines?|him|her|yet|now|so|too|up|there|here|anything yet|both|one|all of|out|to)\b|\S*\.\w{1,4}\b)[\w*@\uE000-\uF8FF])/i,
    ],
    despite: ["task"],
  },
  {
    type: "directive",
    patterns: [
      /^((please|pls|and|also|but)[,:]? )*(no (new |more |extra )\w+|no (?!(idea|worries|problem|need|thanks|luck|change|clue|way|wonder|errors?|one|reason|rush|hurry|longer|matter|doubt|chance|problems?|issues?|difference|tests? (fail|found|yet)|go)\b)[\w-]+( [\w-]+){0,3}? (without|unless|in|on|for|from|between|inside|via|across|outside|please|anywhere|allowed|ever|at all|before|after)\b|no (?!\w*(worries|problems|ideas|thanks|errors|changes|tests)\b)[a-z-]+s(?! (are|is|were|fail|found|needed|yet|left|matched|available|so far)\b)|only (ever )?(use|commit|push|deploy|merge|import|write|log|throw|export|allow)\s+(?!(it|that|this|the)\b)|only [\w-]+( [\w-]+)? ?[\w-]+s[.!]*$)/i,
    ],
    despite: ["task"],
  },
  {
    type: "directive",
    patterns: [
      /^(all|every|each|any) (?!(of (it|them|this)|users?|customers?|the same|tests? (are|is|pass|fail))\b)[\w\uE000-\uF8FF-]+( [\w/-]+){0,5} (must|mustn'?t|should|has to|have to|needs? (a|an|to|at|its|their)|shall|gets? (a|an|its|their)|goes? (in|to|through|into|via|under)|(is|are) (always|never|to be|required|written|named|kept|prefixed|in)|(starts?|ends?|begins?) with|requires?|lives? in|belongs?)\b/i,
    ],
    despite: ["task"],
  },
  {
    type: "directive",
    patterns: [
      /^((please|and|also|in (this|our) (repo|repository|project|codebase|team|company|code)|here),? )*(?!(users|customers|visitors|admins|this|the|its|it'?s|his|results|pages|buttons)\b)([\w-]+ ){0,3}([\w-]+s|code|documentation|sql|css|config|state|business logic|money|html|json) ((must|mustn'?t|may|shall|should|can)( not| only| never| always| ever)? |((is|are) )?(never|always|only ever) |(do not|don'?t|does not|doesn'?t|go|goes|belongs?) (go|belong|in|into|under|to|on|through)\b|(is|are) (in|on|kept|named|written|prefixed|sorted|ordered|grouped|stored|camel|snake|kebab|integers?|singular|plural|lower|upper|capitali[sz]ed)\b|(stays?|remains?|lives?|sits?|comes?|ends?|starts?|begins?|follows?|gets?|needs?) (in|on|at|under|next|beside|with|below|out|the same|sorted|a\b|an\b|their\b|private|pure|conventional|semantic))/i,
    ],
  },
  {
    type: "directive",
    patterns: [
      /^((please|pls|and|also|but|again|so)[,:]? )*(keep (?!(going|it|that|this|the (change|fix|old|current|function|file)|calm|me|an eye|in mind|trying|working|track|up)\b)[\w\uE000-\uF8FF]+|(favou?r|prefer|stick (to|with)|follow|adhere to|respect|mind|obey) (?!(it|that|this|up|him|them|the plan|the (first|second)|option|me)\b)|use \S+( \S+){0,5}?,? ((and |but )?(not|never)|instead of|rather than|over) (?!(the|that|this)\b)|(write|name|format|phrase|prefix|suffix|sign|tag|title|squash|document|comment|indent|sort|group|order|put|place|use|wrap|validate|store|throw|return|log|test|type|annotate|export|import|read|pass|pin|target|handle|quote|capitali[sz]e|default to) (?!(it|that|this|these|those|them|here|there)\b).*\b(everywhere|in all|in every|for (all|every|any|each|new|our|public|internal|dates|times|money|prices|ids|names|tests|logging|errors|styling|state)|throughout|across|in (this|our|the) (repo|repository|project|codebase|whole)|by default|wherever possible|where possible|whenever possible|as much as possible|in (tests|code|commits|migrations|logs|production|comments|docs|the (database|db|backend|frontend|ui))|(in|as|with|next to|beside|in the) (the )?(imperative|present tense|past tense|lower ?case|camelcase|snake_case|kebab-case|english|conventional|utc|iso|tests they|source|jsdoc|docstrings?)))\b/i,
    ],
  },
  {
    type: "directive",
    patterns: [
      /^(and |also |our )*(commit messages?|commits|branch(es)?( names?)?|prs?( titles?)?|pull requests?|file ?names?|variable names?|tests?( files?| names?)?|comments|docs|identifiers|class(es| names)|components?|migrations?|endpoints?|error messages?|logs?|imports?|dates?|changelog( entries)?|indentation|naming|line length|language|code style|formatting|quotes|semicolons|dependencies|versions?|todos?)\s*:\s+(?!(fail|error|pass|\d+ (failed|passed)))\w/i,
    ],
    despite: ["task"],
  },
  {
    type: "directive",
    patterns: [
      /\b(do not|don'?t|never|please don'?t) (touch|edit|modify|change|open|read|write to|look into|go into) (anything (in|under|inside) |the |our |files in )?(\S+\/|\S+ (folder|directory|dir|module|package|schema|tables?)|\S+\/ (folder|directory|dir))(?=[\s,.;!]|$)/i,
      /\b(hands off|stay (out of|away from)|leave \S+( \S+){0,2} alone, (it|they|that))\b/i,
      /\bdon'?t (you )?(ever|dare)\b/i,
    ],
    despite: ["task"],
  },
  {
    type: "directive",
    patterns: [
      /^((any(thing|one|body)?|every(thing|one|body)?|whoever|whatever|wherever|nothing|nobody|no one|none of our) .*\b(must|mustn'?t|has to|have to|needs? (to|an?|at)|should|goes|gets?|is to|may|can|stays?|ends? up|belongs?)\b)/i,
      /\b(whatever happens|at all times|at all costs|at any cost|no exceptions|without exception|nowhere else|nothing else|has to go through|have to go through|must go through|goes? through|are? final|counts? as)\b/i,
    ],
    despite: ["task"],
  },
  {
    type: "directive",
    patterns: [
      /\b(only|exclusively|everywhere|throughout|always|never)[.!]*$/i,
      /^[\w\s\uE000-\uF8FF-]{2,40}\b(first|before)[,;] .*\b(after|afterwards|later|second|then|last)\b/i,
      /^([\w-]+ ){1,5}only (in|at|on|via|through|with|from|for|by|when|if)\b(?! (this|that)\b)/i,
      /^[\w-]+( [\w-]+)?, not [\w-]+( [\w-]+)?(,? (for me|please|always|everywhere|in \w+( \w+)?|for \w+( \w+)?))?[.!]*$/i,
    ],
  },
  {
    type: "directive",
    patterns: [
      /^(?!(i|it|this|that|he|she|they|there|why)\b)(?!.*\b(i|it|he|she|they|this|that|just) (always|never)\b).*\b(must|mustn'?t|must not|always|never)\b (?!(get|gets|see|saw|have|had|been|really|quite|\w+ed|the same|hits?|find|finds|happens?|works?|loads?|runs?|seem|know|knew|think|thought|mind|again|ever since|\w*[^s]s)\b)[a-z\uE000-\uF8FF]/i,
    ],
  },
  {
    type: "directive",
    patterns: [
      /[,;.—–-] ?(and )?(period|full stop|no (discussion|debate|arguments?|exceptions?|excuses|ifs?\b.*buts?)|end of (story|discussion)|(that'?s )?non-?negotiable|not up for (debate|discussion))[.!]*$/i,
      /\b(that'?s|this is|it'?s) (how|the way) (we|things) (work|do|roll|are done|operate|like it)\b/i,
      /^(in this (repo|project|codebase),? )?(it('s| is) )?(absolutely |really |very |super )?(essential|crucial|imperative|vital|critical|paramount|mandatory|obligatory|compulsory|a must|required) (that|to|for (all|every|each|any))\b/i,
      /\b(is|are) (completely |absolutely |strictly )?(out of the question|not an option|a (firing|blocking) offen[cs]e|grounds for rejection|the (absolute )?minimum)\b/i,
      /\b(doesn'?t|don'?t|won'?t|never|always|not?|only) (gets?|be|is|are) (merged|split|rejected|reverted|deleted|deployed|shipped|approved|reviewed|released|accepted|committed|logged|stored)\b/i,
      /^(?!(it|this|that|the (build|test|button|page|user))\b)[^,;?]{3,50} gets? (merged|split|rejected|reverted|deleted|reviewed|tested|documented|an? (owner|test|label|review\w*|changelog|ticket|comment|doc\w*|entry))\b/i,
      /\byou (do not|don'?t|never|may not|can'?t|cannot|shall not|are not allowed to|aren'?t allowed to|only) (?!(need|have|know|see|get|understand|want|think|seem|look)\b)\w+ .*\b(without|unless|until|before i|before we)\b/i,
      /\b(only|just) .{2,40} (is|are|may|can) (allowed|permitted|entitled) to\b/i,
      /\b(two|three|one|2|3|1|at least \w+) (approvals?|reviews?|reviewers?|sign-?offs?|approvers?) (before|for|on|per|from|is|are)\b/i,
      /^(?!(i|it|this|that|there|he|she|they|what)\b)[\w-]+( [\w-]+){1,6} (before|without|unless|until) (any(thing|one|body)|every(thing|one|body)) \w+/i,
      /\b(before|prior to) (the|each|a|any|every) (push|commit|merge|release|deploy\w*|review|pr),? (and )?(not|never) (after|later|afterwards)/i,
      /^keep (your|all|the) ([\w-]+ )?(fingers|hands|paws|nose|agents?) (off|out of|away from)\b/i,
      /^treat \S+ as \S+/i,
      /^[\w-]+s (in|as|with|without|under|go in|into) [^,;]{2,30}[,;] (and )?[\w-]+s (in|as|with|without|under|go in|into) \S/i,
      /^(only )?(one|two|a single|at most \w+|max(imum)?( \w+)?|no more than \w+) [\w-]+( [\w-]+){0,2} per [\w-]+/i,
      /^(please )?(prefix|suffix|name|indent|capitali[sz]e|annotate|tag|sign|squash|namespace|version) (all |every |each |your )?([\w-]+ ){0,2}[\w-]+s (with|as|by|in|after|like|using|under)\b/i,
      /^((please|and|also|but|so|again)[,:]? )*(don'?t|do not|dont|never|nobody|no one) ((ever|directly|may|should|force) )*(push(es)?|force-?push|commits?|merges?|deploys?|publish|rebases?) ((directly|straight|anything|code|changes|commits) )*(to|into|on|onto|against) (main|master|prod\w*|develop|trunk|staging|the (main|master|release|production|shared|default|protected) \w+|protected \w+|shared \w+)\b/i,
      /^((please|always|and|also)[,:]? )*(run|execute|check|verify|update|format|lint|test|rebase|build|review|squash|write|add|bump|confirm|back ?up|make sure) .{2,60}?\b(before|after|whenever|every time|each time) ((you|we) )?(commit|push|merg|deploy|releas|publish|finish|submit|open|creat|edit|add)(e|es|ing|ting|ging|ning)?\b(?! (this|that|it|the)\b)/i,
      /^((please|and|also)[,:]? )*use (?!(an?|the|this|that|it|these|those|my|your)\b)\S+( \S+)? for (?!(this|that|the|it|now|these|those|an?|my|your|testing this)\b)[a-z][\w-]*/i,
      /\b(make (it|this) a (habit|rule|point|practice|principle)|get (in|into) the habit of|as a matter of (principle|habit|course)|by (policy|convention|default,))\b/i,
      /^(please |always )?(use|prefer|avoid|stick to|follow|keep|be|write|don'?t|do not|speak|think|quote|cite) [^,]{3,60} (when|whenever|while) (you('re| are)? )?(talk|answer|reply|respond|explain|writ|report|speak|cod|communicat|review|committ?|nam|document|present|test|refactor|debug|design|propos|suggest|work|build|discuss)(ing)?\b/i,
      /^(no,? |nope,? |please |and |but )*(don'?t|do not|never|stop \w+ing|instead of) .{3,60}?[,;—–.-] ?(but |please |just |always |we )*(use|prefer|go with|rely on|import|stick (to|with)|go through|call) (?!(it|this|that|these|the (other|first|second|last))\b)\S/i,
      /^no (?!changes?\b)([\w-]+ ){0,2}[\w-]+(s|ing) (to|by|of|as|over|into|onto|against|at) \w/i,
      /^(please |and |but )*(don'?t|do not|dont) \w+ (an?|any|new|more|extra|another) ([\w-]+ ?){1,4}(when|if|unless|where|just because|for no reason|just to)\b/i,
      /^(write|run|do|open|create|add|read|update|ask|check) (the |a |your )?([\w-]+ ){1,3}first[,;]? (and )?(only )?(then|afterwards|before)\b.*\b(repo|project|here|how we|always|every|rule)\b/i,
    ],
    despite: ["task", "once"],
  },
  {
    type: "directive",
    patterns: [
      /^(please |pls )?(use|write|prefer|add|include|keep|put|make|name|return|handle|treat|consider|model|represent) (?!(it|that|this|these|those|them|the|an?|my|your|our|his|her|one|two|three|some|more|another|both|his|her|tests?|details|fixes|changes)\b)([\w-]+ )?[\w-]+s\b(?! (there|here|now|to (the|this|that)|in (the|this|that) (\w+ )?(\w+\.\w+|file|function|test|page))\b)( (as|for|in|with|instead|everywhere|only|and|or|over|at|on|from|by|through|via|under|per|next)\b|[,.!]|$)/i,
    ],
    despite: ["task"],
  },
];
