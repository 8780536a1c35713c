/** Japanese. */
import type { Form } from "./form.js";

const JA_BUT =
  /[?？]|ですか|ますか|でしょうか|とりあえず|今回は|まだ|この(ファイル|関数|ボタン|ページ|画面)|ボタン|アイコン|色|エラー|表示(が|を)/;
export const japanese: readonly Form[] = [
  {
    name: "fromNow",
    type: "directive",
    pattern:
      /(今後|これから|以後|次回から|次から)(は|も|、|ずっと)?.{0,40}(して|ください|でお願い|こと|ないで|使って|書いて|すること|ように)/,
    but: /[?？]|ますか|どう|予定|考え|検討/,
    isPlain: true,
  },
  {
    name: "neverAgain",
    type: "directive",
    pattern:
      /(絶対に|二度と|決して).{0,40}(しないで|ないで|ないこと|禁止|さわらない|触らない|だめ|ダメ)|(は|を)禁止(します|とする|です)/,
    but: /[?？]|ますか/,
    isPlain: true,
  },
  {
    name: "alwaysNever",
    type: "directive",
    pattern:
      /(必ず|常に|毎回|いつも).{1,40}(して(ください|から|ほしい)?|こと|お願いします|使って|扱って|書いて|確認して)[。!！]?$/,
    but: JA_BUT,
    isPlain: true,
  },
  {
    name: "remember",
    type: "knowledge",
    pattern: /(覚えておいて|前提として|念頭に置いて)/,
    but: /[?？]|ますか/,
    isPlain: true,
  },
  {
    name: "correction",
    type: "feedback",
    pattern: /^(いや|違います|違う|いいえ)[、。].{1,40}(ではなく|じゃなくて?).{1,40}(です|だ)/,
    isPlain: true,
  },
  {
    name: "right",
    type: "knowledge",
    pattern: /.{2,40}(が|の方が|のほうが)正しい(です|ので|。|$)/,
    but: /[?？]|ますか|かも/,
  },
  {
    name: "told",
    type: "feedback",
    pattern:
      /なんて言って(い)?ない|(と|って)(前にも|何度も|さっき)?(言い|言っ)(まし)?た(よね|はず|のに|でしょ)|何度も言|頼んで(い)?ない|勝手に.{1,20}(しないで|変えないで|消さないで)/,
  },
  {
    name: "youDid",
    type: "feedback",
    pattern: /(書き|説明し|変え|直し|やり|長く?|多く?|細かく(書き|し)?)すぎ/,
    but: /[?？]|ボタン|文字が|余白|画像|表示/,
  },
  {
    name: "likeThings",
    type: "preference",
    pattern: /(日本語|英語)で(回答|答え|書い|返信|お願い|説明)|(回答|説明|返事)は(短|簡潔|日本語|英語)/,
    but: /[?？]|ページ|サイト|文言/,
  },
  {
    name: "prefer",
    type: "preference",
    pattern: /(ほうが|方が)(好き|好み|いい)です|(は|が)(好き|嫌い)(です|だ|。|$)/,
    but: /[?？]|ボタン|色|この/,
  },
  {
    name: "goWith",
    type: "decision",
    pattern:
      /(に|ことに|を採用することに)(決め|決定)(まし)?た|(に|ことに)します。?$|(ではなく|じゃなく|の代わりに).{1,20}(を使|にし)(い|ま)?(ます|って|た)/,
    but: JA_BUT,
  },
  {
    name: "iAm",
    type: "knowledge",
    pattern:
      /(初心者|素人|デザイナー|学生|エンジニア|営業)です|(windows|mac|linux|ubuntu)(を|で|上で)?(使って|動|です)/i,
    but: /[?？]/,
  },
  {
    name: "weUse",
    type: "knowledge",
    pattern:
      /(うち|弊社|当社|社内|本番(サーバー?|環境)?|開発環境|サーバー)(の|は|では|で).{1,30}(です|ます|ています)[。]?$|仕様です/,
    but: /[?？]|エラー|動きません|ません/,
  },
  {
    name: "located",
    type: "knowledge",
    pattern: /(は|が)\s?[\w./\\-]*[/\\][\w./\\-]*\s?(に|の中に)(あり|置|保存)/,
    but: /[?？]|ますか|エラー/,
  },
  {
    name: "phase",
    type: "plan",
    pattern: /(次の|第[一二三]|[二三]つ目の)?フェーズ(で|は|に)|まず.{2,20}(後|次|その後).{2,20}(予定|対応)/,
    but: /[?？]/,
  },
];
