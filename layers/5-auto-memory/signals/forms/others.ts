/** Russian, German and Korean. */
import type { Form } from "./form.js";

const word = (source: string): RegExp => new RegExp(String.raw`(?<!\p{L})(?:${source})(?!\p{L})`, "u");
const start = (source: string): RegExp => new RegExp(String.raw`^(?:${source})(?!\p{L})`, "u");

const RU_BUT = word("пока|ещё|еще|сейчас|в этот раз|просто объясни|только объясни|ошибка|ошибку|кнопк\\p{L}+|колонк\\p{L}+|цвет\\p{L}*|этот файл|этой функции|работает");
export const russian: readonly Form[] = [
  { name: "fromNow", type: "directive", pattern: word("с этого момента|отныне|впредь|с сегодняшнего дня|начиная с сегодня"), but: word("работает|падает|появилась"), isPlain: true },
  { name: "neverAgain", type: "directive", pattern: word("(?:больше )?никогда (?:больше )?не (?:делай|используй|трогай|меняй|удаляй|пиши|добавляй|коммить|пушь)|больше (?:так )?не (?:делай|используй|трогай|удаляй|пиши)"), isPlain: true },
  { name: "alwaysNever", type: "directive", pattern: start("(?:(?:и|но|пожалуйста|также),? )*всегда (?:используй|отвечай|пиши|делай|запускай|спрашивай|проверяй|добавляй|обновляй|коммить)"), isPlain: true },
  { name: "remember", type: "knowledge", pattern: start("(?:запомни|учти|имей в виду|помни|обрати внимание)(?:,? что|:)"), but: RU_BUT, isPlain: true },
  { name: "correction", type: "feedback", pattern: /^нет[,.] .{2,60}, а не \S/u, isPlain: true },
  { name: "must", type: "directive", pattern: word("(?:все|каждый|каждая|каждое|любой|любая) .{2,60}(?:должен|должна|должно|должны|храним|хранятся)|(?:нельзя|запрещено) (?:менять|трогать|удалять|использовать|коммитить)"), but: RU_BUT },
  { name: "dont", type: "directive", pattern: start("(?:(?:и|но|пожалуйста),? )*не (?:используй|добавляй|создавай|устанавливай|меняй|трогай|удаляй) .*(?:без (?:спроса|моего|разрешения)|никаких|ничего|зависимост\\p{L}+|комментари\\p{L}+|файлы в|папк\\p{L}+)"), but: RU_BUT },
  { name: "prefer", type: "preference", pattern: word("предпочитаю|не люблю|ненавижу|мне больше нравится"), but: /\?|(?<!\p{L})(?:сейчас|это|этот|так)(?!\p{L})/u },
  { name: "likeThings", type: "preference", pattern: word("(?:отвечай|пиши|говори)(?: всегда)? (?:на русском|по-русски|на английском|по-английски)"), isPlain: true },
  { name: "told", type: "feedback", pattern: word("я (?:же |уже )*(?:говорил|говорила|просил|просила|сказал)(?: тебе)? (?:не|всегда|никогда|что)|сколько раз") },
  { name: "goWith", type: "decision", pattern: word("(?:мы )?(?:решили|договорились|выбрали|остановились на|переходим на|перешли на) \\p{L}|используем \\p{L}+, а не"), but: /\?/u },
  { name: "iDontKnow", type: "knowledge", pattern: word("я не (?:программист|умею|разбираюсь|знаю (?:git|python|докер))|я (?:новичок|дизайнер|студент|бухгалтер|работаю на|на (?:windows|linux|mac))|никогда не (?:пользовал|работал)\\p{L}*"), but: /\?/u },
  { name: "weUse", type: "knowledge", pattern: word("мы (?:используем|храним|деплоим|работаем)|у нас (?:используется|есть|нет|стоит|только)|наш\\p{L}? (?:сервер|система|проект|клиент\\p{L}*|канал)"), but: RU_BUT },
  { name: "isIn", type: "knowledge", pattern: /(?<!\p{L})(?:лежит|лежат|находится|находятся|хранится|хранятся) в (?:папке |каталоге |файле )?[\w.-]*[/\\.][\w/\\.-]*/u, but: /\?|ошибк/u },
];

const DE_BUT = word("noch|vorerst|diesmal|im moment|gerade|erkläre nur|erklär nur|fehler|knopf|button|spalte|farbe|funktioniert|diese datei");
export const german: readonly Form[] = [
  { name: "fromNow", type: "directive", pattern: word("ab jetzt|von jetzt an|ab sofort|in zukunft|künftig|von nun an"), but: word("funktioniert|kommt|geht|erscheint|wird|ist|habe ich|bekomme|plane|wollen wir|könnte|soll"), isPlain: true },
  { name: "neverAgain", type: "directive", pattern: word("(?:benutze|verwende|mach|mache|ändere|lösche|schreib|schreibe|fass|pushe|committe) .{0,40}(?:nie wieder|niemals|nie mehr|nie)"), but: word("ich|es|er|sie|man|warum"), isPlain: true },
  { name: "alwaysNever", type: "directive", pattern: start("(?:(?:und|aber|bitte|außerdem),? )*(?:benutze|benutz|verwende|antworte|schreib|schreibe|führe|frag|frage|prüfe|mach|mache|nutze) (?:\\p{L}+ )?immer"), but: word("wieder|noch"), isPlain: true },
  { name: "remember", type: "knowledge", pattern: start("(?:merk dir|merke dir|denk daran|denk dran|beachte|vergiss nicht)(?:, dass|:)"), but: DE_BUT, isPlain: true },
  { name: "correction", type: "feedback", pattern: /^nein[,.] (?:der|die|das|es|er|sie|wir|dort)(?!\p{L}).{2,60},? (?:und )?nicht \S/u, but: DE_BUT, isPlain: true },
];

export const korean: readonly Form[] = [
  { name: "fromNow", type: "directive", pattern: /(?:앞으로는|앞으로|이제부터|지금부터|다음부터)[^?？]*(?:하세요|하지 ?마|해 ?줘|해주세요|써 ?줘|써주세요|사용해|작성해|말아|해라|할 것|주세요)/u, but: /[?？]|버튼|화면|보여|이 (?:파일|함수)|할까/u, isPlain: true },
  { name: "neverAgain", type: "directive", pattern: /(?:절대(?:로)?|다시는|두 번 다시)[^?？]*(?:마|말아|말 것|마세요|금지|안 됩니다|안 돼)/u, but: /[?？]|안 (?:나와|되네|보여)/u, isPlain: true },
  { name: "alwaysNever", type: "directive", pattern: /(?:항상|언제나|반드시)[^?？]*(?:하세요|해 ?줘|해주세요|써 ?줘|사용해|작성해|해라|할 것)[.!。]*$/u, but: /[?？]|버튼|화면|보이|표시|뜨게|나오게|이번/u, isPlain: true },
  { name: "remember", type: "knowledge", pattern: /(?:기억해|명심해|잊지 ?마)(?: ?줘| ?둬|세요)?\s*[:：]/u, isPlain: true },
  { name: "correction", type: "feedback", pattern: /^아니[요오]?[,.] .{2,40}(?:아니라|말고) .{1,40}/u, but: /[?？]|버튼|보여|해 ?줘/u, isPlain: true },
];
